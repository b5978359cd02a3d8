"""
What is sent to us is meant for the agent: pass it on, and let its reaction decide.

The signals are blocked, and a thread waits for them. That way they interrupt nothing, none is
missed between a check and a wait, and each comes with its sender, which a handler would not
get: a signal that the agent's whole process group got anyway must not reach it twice.
"""

import signal
from _thread import start_new_thread

from acp_spy.engine.process import Agent

TYPE_CHECKING = False  # importing typing for its name would delay the agent
if TYPE_CHECKING:
    from collections.abc import Callable

# Not forwarded: what cannot be caught; what is about our own faults, children and pipes; and what
# stops and continues, which a shell must see happen to us.
_OURS = "KILL STOP ILL TRAP BUS FPE SEGV SYS CHLD PIPE XFSZ TSTP TTIN TTOU CONT"
FORWARDED = signal.valid_signals() - {signal.Signals[f"SIG{name}"] for name in _OURS.split()}
_OF_A_TERMINAL = frozenset({signal.SIGINT, signal.SIGQUIT, signal.SIGWINCH})
# By these a client asks for the end.
ENDING = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGABRT})
_SENT_BY_KERNEL = 0x80  # SI_KERNEL: nobody's kill(), but the terminal's


def block() -> tuple[set[int], set[int]]:
    """
    Keep the forwarded signals waiting. Return them, and the mask that was in force before.

    What was ignored when we were started, as nohup does, the agent inherits as ignored; it may
    handle it all the same, so that is forwarded, too.
    """
    blocked: set[int] = set(FORWARDED)
    return blocked, set(signal.pthread_sigmask(signal.SIG_BLOCK, blocked))


def unblock(mask: set[int]) -> None:
    """Put `mask` back in force: no agent was started, so what we are sent is meant for us."""
    if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # to end of, without a traceback
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def forward(blocked: set[int], agent: Agent, on_signal: "Callable[[int], None]") -> None:
    """From now on send the agent what we are sent; before, call `on_signal` with each."""
    try:
        start_new_thread(_forward, (blocked, agent, on_signal))
    except (RuntimeError, MemoryError):  # the user has as many threads as there may be
        _forward_by_handlers(blocked, agent, on_signal)


def _forward_by_handlers(
    blocked: set[int], agent: Agent, on_signal: "Callable[[int], None]"
) -> None:
    """Do it in this thread. What reached the agent's whole group reaches it twice then."""

    def handle(number: int, _frame: object) -> None:
        on_signal(number)
        agent.send(number)

    for number in blocked:
        signal.signal(number, handle)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, blocked)


def _forward(blocked: set[int], agent: Agent, on_signal: "Callable[[int], None]") -> None:
    while True:
        number, reached_group = _wait(blocked, agent.pid)
        on_signal(number)
        if not reached_group:
            agent.send(number)


def _wait(blocked: set[int], agent_pid: int) -> tuple[int, bool]:
    """Wait for a signal. Return it, and whether the agent's whole group was sent it too."""
    if not hasattr(signal, "sigwaitinfo"):  # macOS
        return signal.sigwait(blocked), False
    info = signal.sigwaitinfo(blocked)
    # A key or a new size is sent to the whole group; a timer or a hang-up to us alone.
    by_terminal = info.si_code == _SENT_BY_KERNEL and info.si_signo in _OF_A_TERMINAL
    by_agent_itself = info.si_pid == agent_pid
    return info.si_signo, by_terminal or by_agent_itself
