"""What a fuzzer begins with: the captures, transcripts and files that we have anyway."""

from functools import cache
from pathlib import Path

from fuzz.hostile import HOSTILE

from acp_spy.capture.codec import encode
from acp_spy.capture.records import Header
from acp_spy.capture.transcript import parse
from acp_spy.lint.catalogue import CATALOGUE

ROOT = Path(__file__).parents[2]
_TOML = [
    b'select = ["RPC", "FRM001"]\nignore = "SCH"\nfail-on = "warning"\nformat = "json"\n',
    b'spec = "v2"\ndialect = "acp"\n[severity]\nRPC007 = "note"\nSCH = "error"\n',
    b"select = 1\nseverity = [1, {a = 1979-05-27T07:32:00Z}]\nspec = [[]]\n",
]
_JSONC = [
    b'{\n  // mine\n  "theme": "x",\n  "agent_servers": {"a": {"command": "b", "args": [],},},\n}\n',
    b'{"agent_servers": {"spied": 1}, /* } */ "x": [1e5, true, null, "\\u00e9"]}',
]


@cache
def seeds(kind: str) -> tuple[bytes, ...]:
    """Return the seeds of a kind that a `Target` names."""
    if kind == "toml":
        return tuple(_TOML)
    if kind == "jsonc":
        return tuple(_JSONC)
    if kind == "foreign":
        files = sorted((ROOT / "fixtures" / "foreign").iterdir())
        return tuple(path.read_bytes() for path in files if path.name != "README.md")
    files = [*ROOT.glob("fixtures/*.jsonl"), *ROOT.glob("recordings/*.jsonl")]
    small = (path for path in sorted(files) if path.stat().st_size < 200_000)
    return (
        *(path.read_bytes() for path in small),
        *_examples(),
        *(make(40) for make in HOSTILE.values()),
    )


def _examples() -> list[bytes]:
    """Return the wrong and the right transcript of each rule, as captures."""
    return [
        encode([Header(command=("agent",), cwd="/project"), *parse(transcript)])
        for rule in CATALOGUE.values()
        for transcript in (rule.bad, rule.good)
    ]
