import os

from acp_spy.cli.remote_capture import opener


def test_each_conversation_has_the_next_name_that_is_free(tmp_path, monkeypatch):
    output = str(tmp_path / "run.jsonl")
    open_tap = opener(output, "", ["http://localhost/acp"], "localhost", redact=False)
    (tmp_path / "run-3.jsonl").touch()
    looked_at = []
    lexists = os.path.lexists
    monkeypatch.setattr(os.path, "lexists", lambda path: looked_at.append(path) or lexists(path))
    taps = [open_tap() for _ in range(4)]
    paths = [os.path.basename(tap.path) for tap in taps]
    for tap in taps:
        tap.close()
    assert paths == ["run.jsonl", "run-2.jsonl", "run-4.jsonl", "run-5.jsonl"]
    captures = [path for path in looked_at if path.endswith(".jsonl")]  # and the folder
    assert len(captures) == 5  # and not all of them each time


def test_a_device_is_written_to_as_it_is():
    open_tap = opener(os.devnull, "", ["http://localhost/acp"], "localhost", redact=False)
    taps = [open_tap() for _ in range(2)]
    assert [tap.path for tap in taps] == [os.devnull] * 2
    for tap in taps:
        tap.close()
