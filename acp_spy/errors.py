"""The one exception that is meant for the person at the keyboard."""

from errno import EMFILE, ENFILE, ENOMEM

TYPE_CHECKING = False  # importing typing for its name would delay the agent
if TYPE_CHECKING:
    from collections.abc import Callable

NO_MEMORY = "out of memory"
_LONGEST_QUOTE = 60
_NO_THREAD = "can't start new thread"  # as Python says it, in a `RuntimeError`


class AcpSpyError(Exception):
    """
    Something that the person at the keyboard can act on.

    `message` says what is wrong and where, `hint` what to do next. Mistakes of a programmer
    are builtin exceptions instead, and what is wrong in the traffic is a value, never raised.

    `quote` is what the message ends with, of which the beginning is shown: a line of a file.

    A traceback, as a test shows it, has neither name nor word in it that acts.
    """

    def __init__(self, message: str, *, hint: str = "", quote: str = "") -> None:
        super().__init__(message)
        self.message = f"{message}`{_beginning(quote)}`" if quote else message
        self.hint = hint
        self._said, self._quote = message, quote
        if hint:
            self.add_note(_inert(f"hint: {hint}"))

    def __str__(self) -> str:
        return _inert(self.message)

    def without_secrets(self, mask: "Callable[[str], str]") -> "AcpSpyError":
        """Return the error as it may be shared. What it quotes is masked before it is cut."""
        said, hint, quote = map(mask, (self._said, self.hint, self._quote))
        return AcpSpyError(said, hint=hint, quote=quote)


def _beginning(text: str) -> str:
    text = _inert(text)
    return text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]}…"


def _inert(text: str) -> str:
    from acp_spy.wire.inert import inert  # to complain is seldom needed

    return inert(text, but="\n")


def file_word(path: str) -> str:
    """Return a path as a word of a command in a hint: in quotes if needed, and never an option."""
    from shlex import quote

    return quote(f"./{path}" if path.startswith("-") else path)


def refuse_non_utf8(what: str, text: str, *, hint: str) -> None:
    """Raise `AcpSpyError` if `text` of a command line has bytes that no message can have."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise AcpSpyError(f"cannot use {what} `{text}`: it is not UTF-8", hint=hint) from None


def shortage(error: BaseException) -> str:
    """Return what the system did not give us, if something failed for that reason; else nothing."""
    if isinstance(error, BaseExceptionGroup):  # of trio
        reasons = [*map(shortage, error.exceptions)]
        return reasons[0] if all(reasons) else ""
    if isinstance(error, MemoryError):
        return NO_MEMORY
    if isinstance(error, OSError) and error.errno in (EMFILE, ENFILE, ENOMEM):
        return error.strerror or NO_MEMORY
    has_no_thread = type(error) is RuntimeError and error.args[:1] == (_NO_THREAD,)
    return "cannot start a thread" if has_no_thread else ""


def reason_of(error: BaseException) -> str:
    """Return why something failed beside the traffic, which goes on; the rest is a bug of ours."""
    if isinstance(error, AcpSpyError):
        return error.message
    if lacking := shortage(error):
        return lacking
    if isinstance(error, OSError) and error.filename:
        return f"cannot read `{error.filename}`: {error.strerror}"
    where, trace = "", error.__traceback__  # by hand: to complain must not need a file
    while trace:
        where = f" at {trace.tb_frame.f_code.co_name}:{trace.tb_lineno}"
        trace = trace.tb_next
    return f"a bug in acp-spy, please report it: {error!r}{where}"


class TasksLeft(Exception):  # noqa: N818 - nothing has failed in what raises it
    """Raised to end trio although tasks of scripts run: they did not end when cancelled."""
