"""What a person meant who typed something else: the command line to run instead."""

import os
from difflib import get_close_matches
from shlex import join
from shutil import which

from acp_spy.cli.commands import COMMANDS, USAGE
from acp_spy.errors import AcpSpyError

# Words of other tools, and ours for the same. An empty one is the proxy, which has no name.
_SYNONYMS = {
    "": "capture exec intercept launch proxy record run serve sniff spy start trace wrap",
    "view": "cat display dump inspect log logs open print read show",
    "view -o page.html": "html page",
    "view -f": "follow monitor tail watch",
    "check": "analyse analyze lint test validate verify",
    "rule": "explain rules",
    "stats": "info statistics summary timing",
    "diff": "compare",
    "replay": "mock play playback",
    "faults": "chaos toxic toxics",
    "list": "captures dir ls",
    "prune": "clean delete gc remove rm",
    "import": "convert load",
    "redact": "anonymize mask sanitize scrub",
    "raw": "bytes extract",
    "setup": "config configure init install",
    "doctor": "diagnose health ping probe",
    "completion": "completions",
    "demo": "example tutorial",
}
_MEANT = {word: ours for ours, words in _SYNONYMS.items() for word in words.split()}
_DASHES = ("\N{EM DASH}", "\N{EN DASH}")


def without_dashes(given: list[str], command: list[str]) -> AcpSpyError:
    """Return the error for a `command` without `--` after `given`, the proxy's options."""
    word, rest = command[0], command[1:]
    if word in COMMANDS:
        return AcpSpyError(
            f"`{word}` does not accept proxy options", hint=to_run("acp-spy", *command)
        )
    if word in _DASHES:
        return AcpSpyError(
            f"`{word}` is a dash; type two hyphens: `--`",
            hint=to_run("acp-spy", *given, "--", *rest),
        )
    as_agent = to_run("acp-spy", *given, "--", *(word for word in command if word != "--"))
    if given:
        return AcpSpyError("put the agent command after `--`", hint=as_agent)
    if word in _MEANT:
        ours = _MEANT[word]
        if not ours and rest[:1] in (["--help"], ["-h"]):
            return AcpSpyError(f"no such command: `{word}`", hint=to_run("acp-spy", "--help"))
        if not ours:
            right = to_run("acp-spy", *(rest if "--" in rest else ["--", *(rest or ["COMMAND"])]))
            if rest and rest[0].startswith("-") and "--" not in rest:
                right = f"run `{USAGE}`"  # where the agent's command begins is not known
            return AcpSpyError(f"no such command: `{word}`", hint=f"to record, {right}")
        return AcpSpyError(
            f"no such command: `{word}`", hint=to_run("acp-spy", *ours.split(), *rest)
        )
    if _is_capture(word):
        return AcpSpyError(
            f"missing command for the file `{word}`", hint=to_run("acp-spy", "view", *command)
        )
    if near := get_close_matches(word, COMMANDS, n=1):
        meant = to_run("acp-spy", near[0], *rest)
        return AcpSpyError(
            f"no such command: `{word}`", hint=f"{meant}; to start `{word}` as an agent, {as_agent}"
        )
    return AcpSpyError("put the agent command after `--`", hint=as_agent)


def own_command(options: list[str], command: list[str]) -> AcpSpyError:
    """Return the error for a command of ours after `--`, where an agent belongs."""
    name, *rest = command
    hint = to_run("acp-spy", *command)
    if path := which(name):
        as_agent = to_run("acp-spy", *options, "--", path, *rest)
        hint += f"; to start that program as an agent, {as_agent}"
    return AcpSpyError(f"`{name}` is a command of acp-spy, not an agent", hint=hint)


def unknown_command(name: str) -> AcpSpyError:
    """Return the error for help on a command that does not exist."""
    meant = _MEANT.get(name) or next(iter(get_close_matches(name, COMMANDS, n=1)), "")
    command = meant.split()[:1]
    return AcpSpyError(
        f"no such command: `{name}`",
        hint=to_run("acp-spy", *command, "--help"),
    )


def to_run(*words: str) -> str:
    """Return the hint to run this command line, which can be pasted into a shell."""
    return f"run `{join(words)}`"


def _is_capture(word: str) -> bool:
    return word.endswith(".jsonl") or (os.path.isfile(word) and not os.access(word, os.X_OK))
