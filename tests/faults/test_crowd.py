"""Many proxies at once on one folder: every capture is whole, and none is in another's way."""

import json

import pytest
from support import effort
from support.captures import stream

from acp_spy.cli.entry import run

JUDGED = 8  # one in so many: a judge takes a second of a processor to load its rules


def lines_of(number):
    return [b'{"proxy":%d,"line":%d}\n' % (number, line) for line in range(50)]


@pytest.mark.parametrize("proxies", effort.some_of((8, 50), 8))
def test_many_proxies_on_one_folder(spy, tmp_path, capfd, proxies):
    """Half of them are told the same name for their capture, half of them none."""
    folder = tmp_path / "captures"
    peers = []
    for number in range(proxies):
        where = ["-o", f"{folder}/same.jsonl"] if number % 2 else ["--dir", str(folder)]
        how = [] if number % JUDGED == 0 else ["--no-check"]
        peers.append(spy(["/bin/cat"], *where, *how))
    for number, peer in enumerate(peers):
        peer.send(lines_of(number)[0])
    for number, peer in enumerate(peers):  # when this is through, all of them run at once
        assert peer.read_line() == lines_of(number)[0]
    for number, peer in enumerate(peers):
        rest = b"".join(lines_of(number)[1:])
        assert peer.converse(rest) == (rest, b"", 0)

    captures = list(folder.iterdir())
    numbered = {"same.jsonl"} | {f"same-{n}.jsonl" for n in range(2, proxies // 2 + 1)}
    assert numbered <= {path.name for path in captures}
    said = [stream(path, "client") for path in captures]
    assert sorted(said) == sorted(b"".join(lines_of(number)) for number in range(proxies))
    assert said == [stream(path, "agent") for path in captures]
    assert run(["list", "--dir", str(folder), "--format", "json"]) == 0
    listed = json.loads(capfd.readouterr().out)["captures"]
    assert {(entry["state"], entry["frames"]) for entry in listed} == {("ended", 100)}
    assert len(listed) == proxies
