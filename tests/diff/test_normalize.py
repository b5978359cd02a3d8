"""How a message is normalized before it is compared."""

from acp_spy.comparison import normalize


def test_sessions_that_share_a_folder_are_looked_at_once(monkeypatch):
    looked = []
    plain = normalize._plain
    monkeypatch.setattr(normalize, "_plain", lambda folder: looked.append(1) or plain(folder))
    normalizer = normalize.Normalizer({}, {f"s{number}": "/p" for number in range(1000)}, "/q")
    assert len(looked) < 2000
    assert normalizer.message(["/p/a", "/q/a"], "s7", {}) == '["<cwd>/a","<other cwd>/a"]'
