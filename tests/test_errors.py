import pickle
import traceback
from errno import EMFILE, ENOSPC

import pytest

from acp_spy.errors import AcpSpyError, file_word, reason_of, shortage


def test_an_error_says_what_is_wrong_and_what_to_do_next():
    error = AcpSpyError("`run.jsonl` is not a capture", hint="give another")
    assert error.message == "`run.jsonl` is not a capture"
    assert error.hint == "give another"
    assert str(error) == "`run.jsonl` is not a capture"


def test_a_file_in_a_hint_is_one_word_for_a_shell_and_no_option():
    assert file_word("a/run-2.jsonl") == "a/run-2.jsonl"
    assert file_word("a $(b)'s.jsonl") == """'a $(b)'"'"'s.jsonl'"""
    assert file_word("-e1e x") == "'./-e1e x'"
    assert file_word("-o") == "./-o"


def test_nothing_in_a_traceback_acts():
    """Its names and words may be a stranger's, and a test prints it into the log of a CI."""
    error = AcpSpyError("cannot read `\x1b[31m\u202e\n::error::x ##vso[a]b`", hint="\x1b]0;x")
    shown = "".join(traceback.format_exception_only(error))
    assert shown == (
        "acp_spy.errors.AcpSpyError: cannot read `\\x1b[31m\\u202e\n\\x3a:error::x #\\x23vso[a]b`\n"
        "hint: \\x1b]0;x\n"
    )


def test_a_hint_may_be_absent():
    assert AcpSpyError("no").hint == ""


def test_a_hint_is_never_taken_for_the_message():
    with pytest.raises(TypeError):
        AcpSpyError("no", "hint")


def test_an_error_is_an_exception_and_nothing_narrower():
    """So that nobody who catches a builtin catches it unawares."""
    assert AcpSpyError.__bases__ == (Exception,)


def test_an_error_survives_being_sent_between_processes():
    """As test runners do with those that tests raise."""
    sent = pickle.loads(pickle.dumps(AcpSpyError("no", hint="do")))
    assert (sent.message, sent.hint) == ("no", "do")


def test_a_hint_is_seen_in_a_traceback_too():
    from traceback import format_exception_only

    output = format_exception_only(AcpSpyError("no such rule", hint="`acp-spy rule` lists them"))
    assert "".join(output) == (
        "acp_spy.errors.AcpSpyError: no such rule\nhint: `acp-spy rule` lists them\n"
    )
    assert format_exception_only(AcpSpyError("no")) == ["acp_spy.errors.AcpSpyError: no\n"]


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(EMFILE, "Too many open files", "/a"), "Too many open files"),
        (MemoryError(), "out of memory"),
        (RuntimeError("can't start new thread"), "cannot start a thread"),
        (ExceptionGroup("", [ExceptionGroup("", [MemoryError()])]), "out of memory"),
        (ExceptionGroup("", [MemoryError(), TypeError()]), ""),
        (RuntimeError("another"), ""),
        (OSError(ENOSPC, "No space left on device"), ""),
    ],
)
def test_what_the_system_lacks_is_told_from_bugs(error, words):
    assert shortage(error) == words
    assert ("a bug" in reason_of(error)) == (not words)
