"""
SIGKILL of the proxy, the agent or the client in the midst of a conversation, and what is left.

Three real processes: a client that starts the proxy or, for comparison, the agent itself; and both
talk as fast as they can. Each keeps a diary of what it has received, and notes on a board in shared
memory how much it has sent. So it can be said of whoever survives what it would have seen.
"""

import mmap
import os
import random
import shutil
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path

from support.processes import ACP_SPY, DEADLINE, end_of, is_alive, pause, python, until

from acp_spy import Peer, load

VICTIMS = ("proxy", "agent", "client")
LOAD = 50_000  # bytes that the client has received, a hundred frames, before somebody is killed under load
AGENTS_STATUS = 5  # by which the agent ends when it has seen everything end

# What stands where on the board, as numbers of eight bytes each.
CHILD, AGENT, CLIENT_SENT, AGENT_SENT, CLIENT_GOT = range(5)
_BOARD = """
    import mmap, os, sys
    folder = sys.argv[1]
    board = mmap.mmap(os.open(folder + "/board", os.O_RDWR), 64)
    def note(place, number):
        board[8 * place : 8 * place + 8] = number.to_bytes(8, "little")
    def diary(name):
        return os.open(f"{folder}/{name}", os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
"""
# Answers every chunk with twenty lines. When nobody hears it, it listens on; at the end of its input
# it waits until nobody could hear it, and tells. If the proxy is the victim it would stay for ever
# then, for the proxy's death must be its own.
_AGENT = python(
    _BOARD
    + f"""
    import select, signal
    note({AGENT}, os.getpid())
    got, sent, number, is_heard = diary("agent-got"), 0, 0, True
    while chunk := os.read(0, 65536):
        os.write(got, chunk)
        answers = range(number, number := number + 20)
        data = b"".join(b'{{"answer":%d,"text":"%b"}}\\n' % (n, b"y" * (n % 700)) for n in answers)
        try:
            while data and is_heard:
                written = os.write(1, data)
                data = data[written:]
                sent += written
                note({AGENT_SENT}, sent)
        except BrokenPipeError:
            is_heard = False
    poller = select.poll()
    poller.register(1, 0)
    lost = poller.poll({DEADLINE * 1000})
    os.write(diary("agent-saw"), b"end of input, " + (b"broken pipe" if lost else b"a reader"))
    if sys.argv[2] == "proxy":
        signal.pause()
    os._exit({AGENTS_STATUS})
    """
)
# Starts its agent by fork and exec, asks until it cannot, and tells how that ended.
_CLIENT = python(
    _BOARD
    + f"""
    import _thread, signal
    from itertools import count
    (stdin, to_agent), (from_agent, stdout) = os.pipe(), os.pipe()
    child = os.fork()
    if not child:
        os.dup2(stdin, 0)
        os.dup2(stdout, 1)
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.execv(sys.argv[2], sys.argv[2:])
    note({CHILD}, child)
    os.close(stdin)
    os.close(stdout)
    ended = _thread.allocate_lock()
    ended.acquire()
    def read():
        got, size = diary("client-got"), 0
        while chunk := os.read(from_agent, 65536):
            size += os.write(got, chunk)
            note({CLIENT_GOT}, size)
        ended.release()
    _thread.start_new_thread(read, ())
    sent = 0
    try:
        for n in count():
            data = b'{{"question":%d,"text":"%b"}}\\n' % (n, b"x" * (n % 700))
            while data:
                written = os.write(to_agent, data)
                data = data[written:]
                sent += written
                note({CLIENT_SENT}, sent)
    except BrokenPipeError:
        ended.acquire()
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        os.write(diary("client-saw"), b"broken pipe, end of output, status %d" % status)
    """
)


def _lines(word: str, letter: bytes) -> Iterator[bytes]:
    return (b'{"%b":%d,"text":"%b"}\n' % (word.encode(), n, letter * (n % 700)) for n in count())


@dataclass(frozen=True)
class Kill:
    """One kill: whom, when, and whether the conversation is judged."""

    number: int
    victim: str
    while_starting: bool
    delay: float
    judged: bool

    def __str__(self) -> str:
        phase = "while starting" if self.while_starting else "under load"
        return f"kill {self.number}: {self.victim}, {phase}, after {self.delay * 1000:.1f} ms"


@dataclass(frozen=True)
class Outcome:
    """What the survivors saw, and whether what was sent to them before the kill came."""

    client: str
    agent: str
    all_came: bool


def plan(
    kills: int,
    seed: int,
    victims: tuple[str, ...] = VICTIMS,
    judged_one_in: int = 10,
    late_one_in: int = 0,
) -> Iterator[Kill]:
    """
    Give so many kills, the same for the same seed: the victims in turn, one in four early.

    Few are judged while they run, because a judge takes a second to load its rules, and few come
    late, when there has been much to lose; 0 is none.
    """
    for number in range(kills):
        dice = random.Random(f"{seed}/{number}")  # each by itself, to be repeated by itself
        early = dice.random() < 0.25
        late = late_one_in > 0 and number % late_one_in == 1 and not early
        yield Kill(
            number=number,
            victim=victims[number % len(victims)],
            while_starting=early,
            delay=dice.uniform(0, 2 if late else 0.15 if early else 0.04),
            judged=judged_one_in > 0 and number % judged_one_in == 0,
        )


class Run:
    """A conversation in which somebody was killed, through the proxy or without it."""

    def __init__(self, folder: Path, kill: Kill, *, proxied: bool) -> None:
        self.kill = kill
        self.folder = folder
        folder.mkdir()
        self.capture_path = folder / "capture.jsonl"
        agent = [*_AGENT, str(folder), kill.victim]
        options = [] if kill.judged else ["--no-check"]
        proxy = [*ACP_SPY, "-o", str(self.capture_path), *options, "--"] if proxied else []
        (folder / "board").write_bytes(bytes(64))
        with (folder / "board").open("r+b") as file, (folder / "stderr").open("wb") as stderr:
            self._board = mmap.mmap(file.fileno(), 64)
            client = subprocess.Popen([*_CLIENT, str(folder), *proxy, *agent], stderr=stderr)
        try:
            self._strike(client)
            client.wait(DEADLINE)
            # By its number: a process that is about to become another program has no words.
            until(
                lambda: not is_alive(self.noted(CHILD)), f"{kill}: what the client started is gone"
            )
            while left := processes_of(folder):  # a judge may take half a minute
                until(lambda: not any(map(is_alive, left)), f"{kill}: nobody of {folder} is left")
        finally:
            for left_behind in processes_of(folder):
                end_of(left_behind)
            client.wait()

    def _strike(self, client: subprocess.Popen) -> None:
        awaited, enough = CLIENT_GOT, LOAD
        if self.kill.while_starting:
            awaited, enough = (AGENT if self.kill.victim == "agent" else CHILD), 1
        until(lambda: self.noted(awaited) >= enough, f"{self.kill}: the conversation has begun")
        pause(self.kill.delay)
        who = {"client": client.pid, "proxy": self.noted(CHILD), "agent": self.noted(AGENT)}
        os.kill(who[self.kill.victim], signal.SIGKILL)

    def noted(self, place: int) -> int:
        """Return a number from the board; 0 as long as it is not there."""
        return int.from_bytes(self._board[8 * place : 8 * place + 8], "little")

    def diary(self, name: str) -> bytes:
        path = self.folder / name
        return path.read_bytes() if path.exists() else b""

    @property
    def outcome(self) -> Outcome:
        all_came = {
            "client": lambda: len(self.diary("agent-got")) >= self.noted(CLIENT_SENT),
            "agent": lambda: len(self.diary("client-got")) >= self.noted(AGENT_SENT),
            "proxy": lambda: True,  # with it goes what it has in its hands
        }
        # Before it dies with the proxy, the agent may see the ends of its pipes. In the bare run
        # it is the one that is killed, and sees nothing.
        agent = "" if self.kill.victim == "proxy" else self.diary("agent-saw").decode()
        return Outcome(
            self.diary("client-saw").decode() or "killed",
            agent or "killed",
            all_came[self.kill.victim](),
        )

    @property
    def frames_received(self) -> int:
        """How many whole frames the peers have received."""
        return self.diary("agent-got").count(b"\n") + self.diary("client-got").count(b"\n")

    def check_capture(self) -> None:
        """Assert that whatever a peer has received whole is in the capture, and how it ends."""
        by_agent, by_client = self.diary("agent-got"), self.diary("client-got")
        assert self.diary("stderr") == b""
        assert is_start_of(by_agent, _lines("question", b"x"))
        assert is_start_of(by_client, _lines("answer", b"y"))
        if not self.capture_path.exists():
            assert self.kill.victim == "proxy"
            assert whole_lines(by_agent) + whole_lines(by_client) == b""
            return
        capture = load(self.capture_path)
        frames = list(capture.frames)
        client, agent = (
            b"".join(frame.raw for frame in frames if frame.sender is sender) for sender in Peer
        )
        assert client.startswith(whole_lines(by_agent))
        assert agent.startswith(whole_lines(by_client))
        assert [frame.seq for frame in frames] == list(range(1, 1 + len(frames)))
        status = capture.exit.status if capture.exit else None
        if self.kill.victim == "proxy":
            assert status is None
        elif self.kill.victim == "agent":
            assert (status, agent) == (-signal.SIGKILL, by_client)
        else:
            assert (status, client) == (AGENTS_STATUS, by_agent)


def strike(folder: Path, kill: Kill, *, compared: bool = True) -> int:
    """
    Kill in a proxied conversation, and in a bare one whose survivors must have seen the same.

    Return how many frames passed through the proxy. What a failure leaves stays in `folder`.
    """
    proxied = Run(folder / f"{kill.number}-proxied", kill, proxied=True)
    proxied.check_capture()
    frames = proxied.frames_received
    if compared:
        bare = Run(folder / f"{kill.number}-bare", kill, proxied=False)
        assert bare.outcome.all_came, f"{kill}: the bare run proves nothing"
        assert proxied.outcome == bare.outcome, (
            f"{kill}: with the proxy {proxied.outcome}, without {bare.outcome}"
        )
        shutil.rmtree(bare.folder)
    shutil.rmtree(proxied.folder)
    return frames


def processes_of(folder: Path) -> list[int]:
    """Return the processes that run on behalf of `folder`: all of ours have it in their words."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit() and int(entry) != os.getpid():
            try:
                words = Path(f"/proc/{entry}/cmdline").read_bytes()
            except OSError:  # gone by now
                continue
            if os.fsencode(folder) in words and is_alive(int(entry)):
                found.append(int(entry))
    return found


def is_start_of(data: bytes, lines: Iterator[bytes]) -> bool:
    """Whether `data` is what the first of `lines` begin with."""
    return b"".join(islice(lines, data.count(b"\n") + 1)).startswith(data)


def whole_lines(data: bytes) -> bytes:
    return data[: data.rfind(b"\n") + 1]
