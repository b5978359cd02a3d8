import os

import pytest

from acp_spy import load
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


def test_an_open_file_has_the_first_conversation_and_no_other(tmp_path, capfd):
    path = tmp_path / "run.jsonl"
    with open(path, "wb") as given:
        output = f"/dev/fd/{given.fileno()}"
        open_tap = opener(output, "", ["http://localhost/acp"], "localhost", redact=False)
        first, second = open_tap(), open_tap()
        assert (first.path, second.path) == (output, "")
        first.close()
    assert load(path).header.command == ("http://localhost/acp",)
    assert os.listdir(tmp_path) == ["run.jsonl"]
    assert capfd.readouterr().err == (
        f"acp-spy: not recording: `{output}` was for the first conversation;"
        " use `--dir` to have a capture of each\n"
    )


@pytest.mark.parametrize("name", ["pipe", "/dev/fd/{}"])
def test_a_pipe_has_the_first_conversation_and_no_other(tmp_path, capfd, name):
    """Those of several would be mixed, and a reader that is behind would hold up each anew."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    writer = os.open(pipe, os.O_WRONLY)
    output = str(tmp_path / name.format(writer))
    open_tap = opener(output, "", ["http://localhost/acp"], "localhost", redact=False)
    first, second = open_tap(), open_tap()
    assert (first.path, second.path) == (output, "")
    first.close()
    assert open_tap().path == ""
    assert os.read(reader, 65536).count(b"\n") == 1
    assert (
        f"not recording: `{output}` was for the first conversation; use" in capfd.readouterr().err
    )
    os.close(reader)
    os.close(writer)


def test_a_descriptor_that_is_not_open_at_first_is_not_recorded_to_when_it_is(capfd):
    number = os.dup(2)
    os.close(number)
    open_tap = opener(f"/dev/fd/{number}", "", ["http://localhost/acp"], redact=False)
    pipe = os.pipe()
    try:
        assert number in pipe
        assert open_tap().path == ""
    finally:
        for end in pipe:
            os.close(end)
    assert capfd.readouterr().err == f"acp-spy: not recording: `/dev/fd/{number}` is not open\n"


@pytest.mark.parametrize("path", ["/dev/fd/1", "/dev/stdout", "//dev/./stdout", "/proc/self/fd/1"])
@pytest.mark.parametrize("is_wire", [True, False])
def test_stdout_is_recorded_to_if_it_is_not_the_wire(is_wire, path, capfd):
    """Here it is a file."""
    command = ["http://localhost/acp"]
    tap = opener(path, "", command, redact=False, is_wire=is_wire)()
    tap.close()
    out, err = capfd.readouterr()
    refusal = f"acp-spy: not recording: `{path}` is a stream of this process\n"
    assert err == (refusal if is_wire else "")
    assert out[:16] == ("" if is_wire else '{"type":"header"')
