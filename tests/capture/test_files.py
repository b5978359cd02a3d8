import errno
import fcntl
import os
import resource
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.descriptors import count_open

from acp_spy.capture.codec import encode
from acp_spy.capture.files import CaptureFile, load, new_file, read, save
from acp_spy.capture.folder import is_running
from acp_spy.capture.frame_numbers import FrameNumbers
from acp_spy.capture.records import (
    Capture,
    Closed,
    Delivery,
    Exit,
    Header,
    HttpExchange,
    Stderr,
)
from acp_spy.capture.scan import frames_in_lines
from acp_spy.capture.write_file import unfinished_name, write_file
from acp_spy.errors import AcpSpyError
from acp_spy.wire.frame import Frame, Peer

FIXTURES = Path(__file__).parents[2] / "fixtures"

HEADER = Header(tool="acp-spy 0.1.0", started="2026-01-05T09:30:00.250000Z", command=("agent",))
RECORDS = (
    Stderr(0.25, "prêt\n".encode()),
    Frame(1, 0.5, Peer.CLIENT, b'{"id": 1, "method": "initialize"}\n'),
    Frame(2, 1.0, Peer.AGENT, b"[info]\r\n"),
    Frame(3, 1.0, Peer.AGENT, b"\xff\n"),
    Closed(1.5, Peer.CLIENT),
    Exit(2.0, 0, {"agent": 7}),
)


def mode_of(path):
    return stat.S_IMODE(os.stat(path).st_mode)


@pytest.fixture
def record():
    """Create captures, and close their files in the end."""
    files = []

    def create(path, header=HEADER, records=()):
        file = CaptureFile(str(path), header)
        files.append(file)
        file.append(records)
        return file

    yield create
    for file in files:
        file.close()


@pytest.fixture
def no_umask():
    before = os.umask(0)
    yield
    os.umask(before)


# ----------------------------------------------------------------------------- writing


def test_what_is_recorded_can_be_opened_again_without_its_lock(tmp_path, record):
    path = tmp_path / "run.jsonl"
    file = record(path)
    with open(file.open_again(), "rb+", buffering=0) as again:
        assert again.read() == path.read_bytes()
        assert not os.get_inheritable(again.fileno())
        assert is_running(path)
        file.close()
        assert not is_running(path)
        again.seek(0)
        again.write(b"at the end\n")
    assert path.read_bytes().endswith(b"}\nat the end\n")


@pytest.mark.parametrize("other", ["file", "link", "pipe", "nothing", "folder that is a link"])
def test_what_has_taken_the_place_of_the_capture_is_not_opened_for_it(tmp_path, record, other):
    """Its findings would be put there, or those of another capture into ours."""
    folder = tmp_path / "folder"
    path, moved = folder / "run.jsonl", tmp_path / "moved.jsonl"
    file = record(path)
    path.rename(moved)
    moved.write_bytes(b"another")
    if other == "file":
        path.write_bytes(b"another")
    elif other == "link":
        path.symlink_to(moved)
    elif other == "pipe":
        os.mkfifo(path)
    elif other == "folder that is a link":
        folder.rmdir()
        (tmp_path / "other").mkdir()
        (tmp_path / "other" / "run.jsonl").write_bytes(b"another")
        folder.symlink_to(tmp_path / "other")
    with pytest.raises(OSError, match=r"another file|symbolic links|No such file"):
        file.open_again()


def test_what_was_recorded_is_loaded(tmp_path, record):
    path = tmp_path / "run.jsonl"
    record(path, HEADER, RECORDS)
    assert path.read_bytes() == encode([HEADER, *RECORDS])
    assert load(path) == Capture(HEADER, RECORDS)
    assert load(str(path)) == Capture(HEADER, RECORDS)


def test_each_append_is_in_the_file_when_it_returns(tmp_path, record):
    path = tmp_path / "run.jsonl"
    file = record(path)
    assert load(path) == Capture(HEADER, ())
    for number, one in enumerate(RECORDS, start=1):
        file.append([one])
        assert load(path) == Capture(HEADER, RECORDS[:number])


def test_appending_nothing_changes_nothing(tmp_path, record):
    path = tmp_path / "run.jsonl"
    file = record(path)
    before = path.read_bytes()
    file.append([])
    assert path.read_bytes() == before


def test_an_existing_file_is_left_alone_and_the_next_name_taken(tmp_path, record):
    path = tmp_path / "run.jsonl"
    path.write_bytes(b"precious")
    first, second = record(path, HEADER, RECORDS), record(path)
    assert first.path == str(tmp_path / "run-2.jsonl")
    assert second.path == str(tmp_path / "run-3.jsonl")
    assert path.read_bytes() == b"precious"
    assert load(first.path) == Capture(HEADER, RECORDS)
    assert load(second.path) == Capture(HEADER, ())


def test_an_empty_file_counts_as_existing(tmp_path, record):
    path = tmp_path / "run.jsonl"
    path.touch()
    assert record(path).path == str(tmp_path / "run-2.jsonl")
    assert path.read_bytes() == b""


def test_a_folder_of_that_name_is_left_alone(tmp_path, record):
    (tmp_path / "run").mkdir()
    assert record(tmp_path / "run").path == str(tmp_path / "run-2")


def test_a_dangling_link_is_not_followed(tmp_path, record):
    path = tmp_path / "run.jsonl"
    path.symlink_to(tmp_path / "nowhere.jsonl")
    assert record(path).path == str(tmp_path / "run-2.jsonl")
    assert not (tmp_path / "nowhere.jsonl").exists()


def test_a_link_to_a_file_is_not_followed(tmp_path, record):
    target, path = tmp_path / "precious", tmp_path / "run.jsonl"
    target.write_bytes(b"precious")
    path.symlink_to(target)
    assert record(path).path == str(tmp_path / "run-2.jsonl")
    assert target.read_bytes() == b"precious"


@pytest.mark.usefixtures("no_umask")
def test_only_the_owner_can_read_a_capture(tmp_path, record):
    path = tmp_path / "run.jsonl"
    record(path)
    assert mode_of(path) == 0o600


@pytest.mark.usefixtures("no_umask")
def test_only_the_owner_can_enter_the_folders_that_were_made_for_it(tmp_path, record):
    path = tmp_path / "state" / "acp-spy" / "captures" / "run.jsonl"
    record(path)
    assert [mode_of(folder) for folder in list(path.parents)[:3]] == [0o700] * 3


def test_a_folder_that_exists_keeps_its_mode(tmp_path, record):
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o755)
    record(folder / "run.jsonl")
    assert mode_of(folder) == 0o755


def test_a_name_without_a_folder_is_here(tmp_path, record, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert record("run.jsonl").path == "run.jsonl"
    assert (tmp_path / "run.jsonl").exists()


def test_the_file_is_not_inherited_by_the_agent(tmp_path, record):
    assert not os.get_inheritable(record(tmp_path / "run.jsonl")._fd)


def test_a_pipe_is_written_to_as_it_is(tmp_path, record):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert record(path, HEADER, RECORDS).path == str(path)
        assert os.read(reader, 65536) == encode([HEADER, *RECORDS])
    finally:
        os.close(reader)


# ----------------------------------------------------------------------------- a disk that refuses


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
def test_a_full_disk_is_an_os_error(tmp_path):
    full = tmp_path / "full"
    full.symlink_to("/dev/full")
    with pytest.raises(OSError) as caught:
        CaptureFile(str(full), HEADER)
    assert caught.value.errno == errno.ENOSPC
    assert os.path.lexists(full)  # what was there before is not ours to remove


def test_a_disk_that_fills_up_later_is_an_os_error(tmp_path, record, monkeypatch):
    path = tmp_path / "run.jsonl"
    file = record(path, HEADER, RECORDS[:2])
    monkeypatch.setattr(os, "write", out_of_space)
    with pytest.raises(OSError, match="No space left on device"):
        file.append(RECORDS[2:])
    assert load(path) == Capture(HEADER, RECORDS[:2])


def out_of_space(_descriptor, _data):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_no_file_is_left_when_its_header_cannot_be_written(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "write", out_of_space)
    with pytest.raises(OSError, match="No space left on device"):
        CaptureFile(str(tmp_path / "run.jsonl"), HEADER)
    assert list(tmp_path.iterdir()) == []


def test_no_file_is_left_when_half_of_its_header_can_be_written(tmp_path):
    """A real limit, set by the kernel: it takes 20 bytes, and then no more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20, hard))
    try:
        with pytest.raises(OSError) as caught:
            CaptureFile(str(tmp_path / "run.jsonl"), HEADER)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert caught.value.errno == errno.EFBIG
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_could_not_be_begun_is_closed(tmp_path, monkeypatch):
    opened = []
    really_open = os.open
    monkeypatch.setattr(os, "write", out_of_space)

    def note(*how, **more):
        opened.append(really_open(*how, **more))
        return opened[-1]

    monkeypatch.setattr(os, "open", note)
    with pytest.raises(OSError, match="No space left on device"):
        CaptureFile(str(tmp_path / "run.jsonl"), HEADER)
    for descriptor in opened:  # the file, and the folders that lead to it
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(descriptor)


def test_a_capture_that_is_closed_again_closes_no_other_file(tmp_path, record):
    file = record(tmp_path / "run.jsonl")
    file.close()
    with open(tmp_path / "other", "xb") as other:  # which gets the number that is free now
        file.close()
        with pytest.raises(OSError, match="Bad file descriptor"):
            file.append([HEADER])
        assert os.fstat(other.fileno()).st_size == 0


def test_short_writes_lose_nothing(tmp_path, record, monkeypatch):
    really_write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: really_write(descriptor, data[:3]))
    path = tmp_path / "run.jsonl"
    record(path, HEADER, RECORDS)
    assert path.read_bytes() == encode([HEADER, *RECORDS])


@pytest.mark.parametrize(
    ("path", "number"),
    [
        ("file/run.jsonl", errno.ENOTDIR),
        ("file/deeper/run.jsonl", errno.ENOTDIR),
        ("link/run.jsonl", errno.ENOENT),
        ("folder/", errno.EISDIR),
    ],
)
def test_a_place_that_cannot_be_is_an_os_error(tmp_path, path, number):
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(OSError) as caught:
        CaptureFile(f"{tmp_path}/{path}", HEADER)
    assert caught.value.errno == number


# ----------------------------------------------------------------------------- reading


def test_a_capture_cut_anywhere_is_a_capture_of_what_came_before(tmp_path):
    path = tmp_path / "cut.jsonl"
    whole = encode([HEADER, *RECORDS])
    lines = whole.splitlines(keepends=True)
    ends = [sum(map(len, lines[: number + 1])) for number in range(len(lines))]
    for cut in range(len(whole) + 1):
        path.write_bytes(whole[:cut])
        # A line that lacks only its line feed is all there.
        kept = sum(end - 1 <= cut for end in ends)
        header = HEADER if kept else Header()
        assert load(path) == Capture(header, RECORDS[: max(0, kept - 1)]), f"cut at {cut}"


def test_an_empty_file_is_an_empty_capture(tmp_path):
    path = tmp_path / "run.jsonl"
    path.touch()
    assert load(path) == Capture(Header(), ())
    assert list(read(path)) == []


def test_a_capture_without_an_exit_was_cut_off(tmp_path):
    path = tmp_path / "run.jsonl"
    path.write_bytes(encode([HEADER, *RECORDS[:-1]]))
    assert load(path) == Capture(HEADER, RECORDS[:-1])
    assert load(path).exit is None


def test_a_torn_last_line_is_passed_over():
    capture = load(FIXTURES / "torn-last-line.jsonl")
    assert capture.header.command == ("example-agent", "--acp")
    assert [type(record) for record in capture.records] == [Stderr, Frame]
    assert capture.exit is None


def test_records_are_given_before_the_rest_is_read():
    """What stands before the damage can be had, one by one."""
    records = read(FIXTURES / "damaged-in-the-middle.jsonl")
    assert isinstance(next(records), Header)
    assert next(records) == Stderr(0.041802, b"example-agent 1.0 is ready\n")
    with pytest.raises(AcpSpyError):
        next(records)


def test_unknown_records_and_fields_are_passed_over():
    """Written by somebody else: other records, other fields, another order, more blanks."""
    capture = load(FIXTURES / "unknown-record-and-field.jsonl")
    assert capture.header == Header(tool="another-recorder 3")
    assert capture.records == (
        Stderr(1.0, b"x\n"),
        Frame(1, 1.5, Peer.CLIENT, b'{"jsonrpc": "2.0", "id": 0, "method": "initialize"}\n'),
        Frame(2, 2.0, Peer.AGENT, "café\r\n".encode()),
        Frame(3, 2.0, Peer.AGENT, b"\xff\n"),
        Closed(3.0, Peer.CLIENT),
        Exit(3.0, -15),
    )


ODD_LINES = [
    b'\xef\xbb\xbf{"id":1}\n',
    b'{"id":1}\r\n',
    b' {"id":1}\n',
    b'{"id":1} \n',
    b'{"id":\r1}\n',
    b"\n",
    b"\r\n",
    b"\0\n",
    b'{"a":"\0"}\n',
    b'{"id":1,"id":2}\n',
    b'{"id":123456789012345678901234567890,"x":1.0e+2}\n',
    '{"a":"\u2028\u0085\x7f"}\n'.encode(),
    rb'{"a":"\u00e9\/"}' + b"\n",
    rb'{"a":"\ud800"}' + b"\n",
    b'{"a":"caf\xe9"}\n',
    b"\xff\xfe{\0}\0\n",
    b"null\n",
    b"42\n",
    b"\x1b[31mred\x1b[0m\n",
    b"[red]x[/red]\n",
    "\u202etxt\n".encode(),
    b'{"a":NaN}\n',
    b'{"id":1}{"id":2}\n',
    b'{"tail":1}',
]


def test_odd_bytes_come_back_from_a_file_written_long_ago():
    """And would be written in the same way today."""
    path = FIXTURES / "odd-bytes.jsonl"
    capture = load(path)
    assert [frame.raw for frame in capture.frames] == ODD_LINES
    assert encode([capture.header, *capture.records]) == path.read_bytes()


def test_two_captures_in_one_file_are_read_as_one_that_goes_on(tmp_path):
    """The first header counts, and what refers to a frame by its number still finds it."""
    path = tmp_path / "both.jsonl"
    frame, delivery = (
        Frame(1, 1.0, Peer.AGENT, b"{}\n"),
        Delivery(1, 1.0, Peer.CLIENT, "rule", "replace", b"[]\n"),
    )
    exchange = HttpExchange(1.0, 1, "http", "POST", "/acp", request=1)
    records = [frame, delivery, exchange, Delivery(0, 1.0, Peer.CLIENT, "rule", "inject")]
    path.write_bytes(encode([HEADER, *records, Header(tool="second"), *records, Exit(2.0, 0)]))
    numbered = [record for record in load(path).records if hasattr(record, "seq")]
    assert load(path).header == HEADER
    assert [record.seq for record in numbered] == [1, 1, 0, 2, 2, 0]
    requests = [each.request for each in load(path).records if isinstance(each, HttpExchange)]
    assert requests == [1, 2]
    assert [(line, frame.seq) for line, frame in frames_in_lines(path, {1, 2})] == [(2, 1), (7, 2)]


@pytest.mark.parametrize("seq", [-1, 0, 2, 3])
@pytest.mark.parametrize("end", [b"\n", b""])
def test_a_frame_with_a_number_that_has_come_gets_the_next(tmp_path, seq, end):
    path = tmp_path / "run.jsonl"
    again = encode([Frame(seq, 1.0, Peer.AGENT, b"{}\n")]).removesuffix(b"\n") + end
    path.write_bytes(encode([HEADER, *RECORDS[:4]]) + again)
    assert load(path).frames[-1].seq == 4


@pytest.mark.parametrize(
    ("said", "given"),
    [
        ([1, 3, 2, 4], [1, 3, 2, 4]),
        ([5, 1, 2, 4, 3], [5, 1, 2, 4, 3]),
        ([2, 9, 4, 6, 4, 5, 6, 11, 10, 9], [2, 9, 4, 6, 10, 5, 11, 12, 13, 14]),
        ([4, 3, 2, 1, 0], [4, 3, 2, 1, 5]),
        ([1, 2, 3, 1, 2, 3], [1, 2, 3, 4, 5, 6]),
    ],
)
def test_frames_in_another_order_keep_their_numbers(tmp_path, said, given):
    path = tmp_path / "run.jsonl"
    frames = [Frame(seq, 1.0, Peer.AGENT, b"{}\n") for seq in said]
    path.write_bytes(encode([HEADER, *frames]))
    assert [frame.seq for frame in load(path).frames] == given
    assert [frame.seq for _, frame in frames_in_lines(path, given)] == given


def test_frames_are_found_behind_records_with_odd_fields(tmp_path):
    """Which the reader passes over, too: an unknown type, a field that nobody knows."""
    path = tmp_path / "run.jsonl"
    odd = (
        b'{"type":"note","seq":"x","status":"ok"}\n'
        b'{"type":"frame","seq":4,"t":1,"sender":"agent","severity":7,"message":{}}\n'
    )
    path.write_bytes(encode([HEADER, *RECORDS[:4]]) + odd)
    assert load(path).frames[-1].seq == 4
    assert [(line, frame.seq) for line, frame in frames_in_lines(path, {3, 4})] == [(5, 3), (7, 4)]


@given(st.lists(st.integers(-2, 30)))
def test_no_two_frames_have_the_same_number(said):
    numbers = FrameNumbers()
    were_given = [numbers.give(seq) for seq in said]
    assert len(set(were_given)) == len(were_given)
    assert all(seq >= 1 for seq in were_given)
    if len(set(said)) == len(said) and all(seq >= 1 for seq in said):
        assert were_given == said


def test_frames_that_were_removed_leave_a_gap(tmp_path):
    path = tmp_path / "run.jsonl"
    path.write_bytes(encode([HEADER, RECORDS[3], *RECORDS[4:]]))
    assert load(path) == Capture(HEADER, RECORDS[3:])


# ----------------------------------------------------------------------------- refusing


def refusal(path):
    with pytest.raises(AcpSpyError) as caught:
        load(path)
    return caught.value.message, caught.value.hint


def test_damage_in_the_middle_is_told_with_its_line():
    path = FIXTURES / "damaged-in-the-middle.jsonl"
    message, hint = refusal(path)
    assert message.startswith(f"cannot read `{path}`: line 3 is not a record: JSON is malformed: ")
    assert hint == f"run `sed 3d {path} > NEW.jsonl` to get the file without that line"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"\n", "Input data was truncated"),
        (b'{"type":"exit","t":2}\n', "Object missing required field `status`"),
        (
            b'{"type":"frame","seq":9,"t":2,"sender":"agent"}\n',
            "expected exactly one of `message`, `text` and `base64`",
        ),
        (b'{"type":"stderr","t":2,"text":"\xff"}\n', "not UTF-8"),
        (b'{"type":"note","x":%b}\n' % (b"[" * 500_000), "nested too deeply"),
    ],
)
def test_a_whole_line_that_is_no_record_is_damage_even_at_the_end(tmp_path, line, reason):
    path = tmp_path / "run.jsonl"
    path.write_bytes(encode([HEADER, *RECORDS]) + line)
    message, hint = refusal(path)
    assert message == f"cannot read `{path}`: line 8 is not a record: {reason}"
    assert f"`sed 8d {path} > NEW.jsonl`" in hint


def test_a_damaged_header_is_not_to_be_removed(tmp_path):
    path = tmp_path / "run.jsonl"
    path.write_bytes(b'{"type":"header","format":1,"command":"agent"}\n')
    assert refusal(path) == (
        (
            f"cannot read `{path}`: line 1 is not a record: Expected `array`, got `str` - at"
            " `$.command`"
        ),
        'add the header that every capture needs; `{"type":"header","format":1}` is enough',
    )


def test_a_format_from_the_future_asks_for_an_update():
    """Even though its header holds other types, and its frames other fields."""
    path = FIXTURES / "format-from-the-future.jsonl"
    assert refusal(path) == (
        f"cannot read `{path}`: it has format 2; this acp-spy reads 1",
        "update acp-spy: `pip install --upgrade acp-spy`",
    )


@pytest.mark.parametrize(
    "content",
    [
        b"\n",
        b"hello",
        b"hello\n",
        b"{}\n",
        b'{"format":2}\n',
        b'{"type":"header"}\n',
        b'{"type":"frame","seq":1,"t":0,"sender":"client","text":""}\n',
        b'{"type":"header\xff","format":1}\n',
        b"\x00\xff\x00",
    ],
)
def test_what_is_no_capture_is_told(tmp_path, content):
    path = tmp_path / "other"
    path.write_bytes(content)
    message, hint = refusal(path)
    assert message.startswith(f"cannot read `{path}`: it is neither a capture nor in another known")
    assert hint.startswith("give a file that `acp-spy -- COMMAND` wrote, or a file in one of")


def test_a_missing_file_is_told(tmp_path):
    path = tmp_path / "missing.jsonl"
    assert refusal(path) == (
        f"cannot read `{path}`: No such file or directory",
        "give the path of a capture, or a name that `acp-spy list` shows",
    )


def test_a_folder_is_told(tmp_path):
    assert refusal(tmp_path) == (
        f"cannot read `{tmp_path}`: Is a directory",
        f"name a capture; run `acp-spy list --dir {tmp_path}` to see those in the folder",
    )


def test_a_capture_is_saved_as_it_was_loaded_and_not_over_another(tmp_path):
    path = tmp_path / "new.jsonl"
    capture = Capture(
        Header(cwd="/project"), (Frame(1, 0.5, Peer.AGENT, b"\xff ready\n"), Exit(1.0, 3))
    )
    save(capture, path)
    assert load(path) == capture
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(AcpSpyError) as caught:
        save(capture, path)
    assert caught.value.message == f"cannot write `{path}`: File exists"
    assert caught.value.hint == "give a new name, or pass overwrite=True"
    save(Capture(Header(), ()), path, overwrite=True)
    assert load(path).frames == ()
    with pytest.raises(AcpSpyError, match="Is a directory"):
        save(capture, tmp_path, overwrite=True)


def test_a_capture_that_is_saved_over_another_is_there_when_it_is_complete(tmp_path):
    path = tmp_path / "run.jsonl"
    path.write_bytes(b"")
    path.chmod(0o644)
    shown = os.open(path, os.O_RDONLY)  # who reads the old one goes on to read the old one
    save(Capture(Header(cwd="/new"), ()), path, overwrite=True)
    assert load(path).header.cwd == "/new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert os.read(shown, 1) == b""
    os.close(shown)
    before = path.read_bytes()
    for name in ("run.jsonl", "new.jsonl"):
        with pytest.raises(TypeError):
            save(Capture(Header(), (object(),)), tmp_path / name, overwrite=name == "run.jsonl")
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["run.jsonl"]


def test_what_a_killed_process_of_the_same_number_has_left_is_named(tmp_path):
    """In a container every run may have the same."""
    path = str(tmp_path / "page.html")
    left = Path(unfinished_name(path, os.getpid()))
    left.touch()
    with pytest.raises(AcpSpyError, match=f"cannot write `{path}`: File exists") as caught:
        write_file(path, ["text"])
    assert caught.value.hint.endswith(f"run `rm {left}`")
    left.unlink()
    write_file(path, ["text"])


def test_a_capture_that_is_being_recorded_is_not_saved_over(tmp_path, record):
    running = record(tmp_path / "run.jsonl")
    with pytest.raises(AcpSpyError) as caught:
        save(Capture(Header(), ()), running.path, overwrite=True)
    assert caught.value.message == (
        f"cannot write `{running.path}`: it is a capture that is being recorded"
    )
    running.append([Frame(1, 0.5, Peer.AGENT, b"{}\n")])
    assert len(load(running.path).frames) == 1


@pytest.mark.parametrize("how", [{}, {"replace": False}, {"beside": True}])
def test_a_file_has_its_name_when_it_is_complete(tmp_path, how):
    """Whoever is killed before leaves a part that is called so."""
    seen = []

    def parts():
        yield b"first"
        seen.extend(os.listdir(tmp_path))
        yield b"last"

    assert write_file(str(tmp_path / "run.jsonl"), parts(), **how) == str(tmp_path / "run.jsonl")
    assert seen == [f"run.jsonl.{os.getpid()}.part"]
    assert os.listdir(tmp_path) == ["run.jsonl"]
    assert (tmp_path / "run.jsonl").read_bytes() == b"firstlast"


def test_a_file_that_appears_meanwhile_is_kept(tmp_path):
    path = tmp_path / "run.jsonl"

    def parts():
        yield b"mine"
        path.write_text("another's")

    assert write_file(str(path), parts(), beside=True) == str(tmp_path / "run-2.jsonl")
    path.unlink()
    with pytest.raises(AcpSpyError, match="File exists"):
        write_file(str(path), parts(), replace=False)
    assert path.read_text() == "another's"
    assert (tmp_path / "run-2.jsonl").read_text() == "mine"
    assert len(os.listdir(tmp_path)) == 2


def test_a_file_that_is_given_as_a_descriptor_is_written_to_as_it_is(tmp_path, record):
    path = tmp_path / "given.jsonl"
    with open(path, "wb") as given:
        record(f"/dev/fd/{given.fileno()}", records=RECORDS)
    assert load(path) == Capture(HEADER, RECORDS)
    assert os.listdir(tmp_path) == ["given.jsonl"]


def test_a_file_that_is_given_is_locked_as_long_as_it_is_recorded_though_it_stays_open(tmp_path):
    path = tmp_path / "given.jsonl"
    with open(path, "wb") as given:
        before = count_open()
        file = CaptureFile(f"/dev/fd/{given.fileno()}", HEADER)
        assert is_running(path)
        file.close()
        assert not is_running(path)
        assert count_open() == before


def test_a_lock_of_who_has_given_the_file_lasts_longer(tmp_path):
    with new_file(str(tmp_path / "given.jsonl")) as (path, descriptor):
        CaptureFile(f"/dev/fd/{descriptor}", HEADER).close()
        assert is_running(path)
    assert not is_running(path)


def test_a_file_that_is_given_and_cannot_be_locked_is_recorded_to(tmp_path):
    path = tmp_path / "given.jsonl"
    with open(path, "wb") as given, open(path, "rb") as reader:
        fcntl.flock(reader, fcntl.LOCK_SH)
        CaptureFile(f"/dev/fd/{given.fileno()}", HEADER).close()
    assert load(path).header == HEADER


def test_a_descriptor_that_takes_nothing_is_an_error_and_stays_with_who_gave_it(tmp_path):
    (tmp_path / "given.jsonl").touch()
    with open(tmp_path / "given.jsonl", "rb") as given:  # to read only
        before = count_open()
        with pytest.raises(OSError, match="Bad file descriptor"):
            CaptureFile(f"/dev/fd/{given.fileno()}", HEADER)
        assert count_open() == before
    assert os.listdir(tmp_path) == ["given.jsonl"]


@pytest.mark.parametrize("was_there", [True, False])
def test_a_capture_that_is_recorded_while_a_file_is_written_stays(was_there, tmp_path):
    path = tmp_path / "out.jsonl"
    if was_there:
        path.write_text("an old page")

    def parts():
        yield "the first part"
        path.unlink(missing_ok=True)
        path.write_bytes(encode([Header()]))
        yield "the second"

    with pytest.raises(AcpSpyError, match="a capture was recorded there meanwhile"):
        write_file(str(path), parts())
    assert path.read_bytes() == encode([Header()])
    assert [each.name for each in tmp_path.iterdir()] == ["out.jsonl"]
