"""Promise 4: signals reach the agent, and its reaction decides. Nothing is left running."""

import os
import pty
import signal
import threading

import pytest
from support.effort import some_of
from support.processes import (
    ECHO,
    PATIENT_PROXY,
    children,
    end_of,
    is_alive,
    judge_of,
    python,
    read_some,
    unread,
    until,
)

from acp_spy import load

FORWARDED = [
    signal.SIGINT,
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGQUIT,
    signal.SIGUSR1,
    signal.SIGUSR2,
]
SOME = some_of(FORWARDED, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)

# Says its process id, then the number of each signal that comes; ignores the end of its input.
TELLS_SIGNALS = python(
    """
    import os, signal
    names = "SIGINT SIGTERM SIGHUP SIGQUIT SIGUSR1 SIGUSR2"
    numbers = {getattr(signal, name) for name in names.split()}
    signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    os.write(1, b"%d\\n" % os.getpid())
    while True:
        os.write(1, b"got %d\\n" % signal.sigwait(numbers))
    """
)
# Ends by a choice of its own when asked to.
HANDLES_SIGTERM = python(
    """
    import os, signal
    def leave(*_):
        os.write(1, b"bye\\n")
        os._exit(42)
    signal.signal(signal.SIGTERM, leave)
    os.write(1, b"ready\\n")
    while True:
        signal.pause()
    """
)


@pytest.mark.parametrize("number", SOME, ids=lambda number: number.name)
def test_a_signal_reaches_the_agent_once_and_ends_nothing_by_itself(start, number):
    peer = start(TELLS_SIGNALS)
    agent = int(peer.read_line())
    for _ in range(3):
        peer.signal(number)
        assert peer.read_line() == b"got %d\n" % number
    assert is_alive(agent)
    os.kill(agent, signal.SIGKILL)
    assert peer.read_all() == b""  # had any come twice, it would be here
    assert peer.wait() == -signal.SIGKILL


@pytest.mark.parametrize("number", SOME, ids=lambda number: number.name)
def test_an_agent_without_a_handler_dies_of_the_signal(start, number):
    peer = start(["/bin/sh", "-c", "echo ready; exec sleep 1000"])
    assert peer.read_line() == b"ready\n"
    peer.signal(number)
    assert peer.wait() == -number


def test_the_agents_reaction_decides(start):
    peer = start(HANDLES_SIGTERM)
    assert peer.read_line() == b"ready\n"
    peer.signal(signal.SIGTERM)
    assert peer.read_all() == b"bye\n"
    assert peer.wait() == 42


def test_an_ignored_signal_stays_ignored(start):
    """As under nohup: what was ignored at the start is ignored by the agent, too."""
    hangs_up_and_goes_on = ["/bin/sh", "-c", "kill -HUP $$; echo alive"]
    peer = start(
        hangs_up_and_goes_on, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)
    )
    assert peer.read_line() == b"alive\n"
    assert peer.wait() == 0


def test_a_signal_ignored_at_the_start_reaches_an_agent_that_handles_it(start):
    """A shell starts its background jobs with SIGINT ignored."""
    peer = start(TELLS_SIGNALS, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
    peer.read_line()
    peer.signal(signal.SIGINT)
    assert peer.read_line() == b"got %d\n" % signal.SIGINT


def test_ignored_children_are_no_obstacle(start):
    """SIGCHLD ignored would let the kernel reap the agent, and its status be lost."""
    for delay in ("0", "0.3"):
        peer = start(
            ["/bin/sh", "-c", f"sleep {delay}; exit 3"],
            preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN),
        )
        assert peer.wait() == 3


OTHERS = [signal.SIGALRM, signal.SIGPROF, signal.SIGABRT, signal.SIGWINCH, signal.SIGRTMIN + 3]


@pytest.mark.parametrize("number", some_of(OTHERS, signal.SIGALRM), ids=int)
def test_other_signals_reach_the_agent_too(start, number):
    handles = python(
        """
        import os, signal, sys
        number = int(sys.argv[1])
        signal.pthread_sigmask(signal.SIG_BLOCK, {number})
        os.write(1, b"ready\\n")
        os.write(1, b"got %d\\n" % signal.sigwait({number}))
        """,
        str(int(number)),
    )
    peer = start(handles)
    assert peer.read_line() == b"ready\n"
    peer.signal(number)
    assert peer.read_line() == b"got %d\n" % number
    assert peer.wait() == 0


def test_a_timer_set_before_the_start_rings_for_the_agent(start):
    """As `perl -e 'alarm 1; exec ...'` does, the classic timeout."""
    peer = start(["/bin/sleep", "1000"], preexec_fn=lambda: signal.alarm(1))
    assert peer.wait() == -signal.SIGALRM


def test_an_ending_signal_ends_a_proxy_whose_agent_is_gone(spy):
    """The agent's child goes on writing for ever, and the client has had enough."""
    agent_with_a_child = python(
        """
        import os
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            os.close(writer)
            os.read(reader, 1)  # until the agent has spoken and gone
            while True:
                os.write(1, b"y\\n" * 4096)
        print(os.getpid(), child, flush=True)
        os._exit(0)
        """
    )
    peer = spy(agent_with_a_child)
    agent, orphan = map(int, peer.read_line().split())
    try:
        until(lambda: not is_alive(agent), "the agent is gone")
        drain = threading.Thread(target=peer.read_all)
        drain.start()
        peer.signal(signal.SIGTERM)
        assert peer.wait() == 0
        drain.join()
    finally:
        end_of(orphan)


def test_what_was_said_after_the_request_to_end_is_not_lost_on_a_slow_reader(start):
    """The rest is left in the client's pipe, as the agent would have left it."""
    start.program = PATIENT_PROXY
    peer = start(
        python(
            """
            import os, signal
            def leave(*_):
                data = b"x" * 200000
                while data:
                    data = data[os.write(1, data):]
                os._exit(0)
            signal.signal(signal.SIGTERM, leave)
            os.write(1, b"ready\\n")
            signal.pause()
            """
        )
    )
    assert peer.read_line() == b"ready\n"
    peer.signal(signal.SIGTERM)
    until(lambda: unread(peer.stdout) > 60_000, "the pipe is full")
    assert len(peer.read_all()) == 200_000
    assert peer.wait() == 0


@pytest.mark.parametrize("moment", some_of(range(25), 0, 2, 8))
def test_a_signal_sent_while_the_agent_starts_is_not_lost(spy, moment):
    """At moments from before the agent's exec to well after."""
    peer = spy(["/bin/sleep", "1000"], "--no-check")
    until(lambda: children(peer.pid), "the agent is started")
    for _ in range(moment * 400):
        pass
    peer.signal(signal.SIGTERM)
    assert peer.wait() == -signal.SIGTERM


def test_an_interrupt_in_a_callback_while_a_script_is_loaded_is_not_lost(spy, tmp_path):
    """Python ignores what is raised there, and importing a module has such callbacks."""
    (tmp_path / "it.py").write_text(
        "import os, signal\n"
        "class Interrupted:\n"
        "    def __del__(self):\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "Interrupted()\n"
        "def request(event): pass\n"
    )
    peer = spy(["/bin/sleep", "1000"], "--no-check", "--script", str(tmp_path / "it.py"))
    assert peer.wait() == -signal.SIGINT


def test_sigkill_of_the_proxy_ends_an_agent_that_ignores_everything(spy):
    peer = spy(TELLS_SIGNALS)
    agent = int(peer.read_line())
    peer.signal(signal.SIGKILL)
    assert peer.wait() == -signal.SIGKILL
    until(lambda: not is_alive(agent), "the agent is gone")


def test_killpg_reaches_the_agent_as_before(start):
    peer = start(TELLS_SIGNALS, start_new_session=True)
    agent = int(peer.read_line())
    assert os.getpgid(agent) == peer.pid
    os.killpg(peer.pid, signal.SIGKILL)
    assert peer.wait() == -signal.SIGKILL
    until(lambda: not is_alive(agent), "the agent is gone")


def test_an_agent_that_signals_its_own_group_is_not_signalled_back(start):
    peer = start(
        python(
            """
            import os, signal
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
            os.killpg(0, signal.SIGTERM)
            assert signal.sigtimedwait({signal.SIGTERM}, 60)
            again = signal.sigtimedwait({signal.SIGTERM}, 0.5)
            os.write(1, b"twice" if again else b"once")
            """
        ),
        start_new_session=True,
    )
    assert peer.read_all() == b"once"
    assert peer.wait() == 0


def test_ctrl_c_at_a_terminal_is_one_interrupt_for_the_agent(start):
    """The terminal interrupts the whole group: the agent has it already."""
    master, slave = pty.openpty()
    tells_on_stderr = python(
        """
        import os, signal
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        os.write(1, b"ready\\n")
        assert signal.sigtimedwait({signal.SIGINT}, 60)
        again = signal.sigtimedwait({signal.SIGINT}, 0.5)
        os.write(1, b"twice" if again else b"once")
        """
    )

    def take_terminal():
        os.setsid()
        import fcntl
        import termios

        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    try:
        peer = start(tells_on_stderr, stdin=slave, preexec_fn=take_terminal)
        assert peer.read_line() == b"ready\n"
        os.write(master, b"\x03")
        assert peer.read_all() == b"once"
        assert peer.wait() == 0
    finally:
        os.close(master)
        os.close(slave)


def test_no_zombie_and_nothing_running_is_left(spy):
    peer = spy(ECHO)
    peer.send(b"x\n")
    peer.read_line()
    judge, agent = judge_of(peer), children(peer.pid)[0]
    _, _, status = peer.converse()
    assert status == 0
    assert not os.path.exists(f"/proc/{agent}")
    until(lambda: not is_alive(judge), "the judge has gone")


def test_a_client_that_asks_for_the_end_need_not_read_on(start):
    """Pipes full both ways, SIGTERM, and nobody reads: the end comes all the same."""
    peer = start(python("import os\nwhile True: os.write(1, b'x' * 65536)"))
    read_some(peer.stdout, 1)
    peer.signal(signal.SIGTERM)
    assert peer.wait() == -signal.SIGTERM


def test_a_stopped_agent_is_stopped_and_goes_on(start):
    peer = start(ECHO)
    peer.send(b"a\n")
    assert peer.read_line() == b"a\n"
    agent = children(peer.pid)[0] if peer.capture else peer.pid
    os.kill(agent, signal.SIGSTOP)
    peer.send(b"b\n")
    os.kill(agent, signal.SIGCONT)
    assert peer.read_line() == b"b\n"


def test_the_signal_that_killed_the_agent_is_in_the_capture(spy):
    peer = spy(["/bin/sleep", "1000"])
    until(lambda: children(peer.pid), "the agent is started")
    peer.signal(signal.SIGTERM)
    peer.wait()
    assert load(peer.capture).exit.status == -signal.SIGTERM


@pytest.mark.parametrize("attempt", some_of(range(20), 0, 2))
def test_an_orphan_of_a_killed_proxy_cannot_be(spy, attempt):
    """Also when the proxy is killed before the agent has been started."""
    peer = spy(["/bin/sleep", "999"], "--no-check")
    agent = until(lambda: children(peer.pid), "the agent is started")[0]
    peer.signal(signal.SIGKILL)
    peer.wait()
    until(lambda: not is_alive(agent), "the agent is gone")
