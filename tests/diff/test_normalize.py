"""What a message is spelled like before it is compared."""

from acp_spy.diff import normalize as spelling


def test_sessions_that_share_a_folder_are_looked_at_once(monkeypatch):
    looked = []
    plain = spelling._plain
    monkeypatch.setattr(spelling, "_plain", lambda folder: looked.append(1) or plain(folder))
    speller = spelling.Speller({}, {f"s{number}": "/p" for number in range(1000)}, "/q")
    assert len(looked) < 2000
    assert speller.spell(["/p/a", "/q/a"], "s7", {}) == '["<cwd>/a","<other cwd>/a"]'
