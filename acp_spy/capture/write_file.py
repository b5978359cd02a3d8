"""Write a whole file: it is there when it is complete, and only its owner can read it."""

import errno
import os
import stat
from collections.abc import Callable, Iterable
from contextlib import suppress

from acp_spy.capture.file_names import numbered
from acp_spy.capture.links import Place, create, names_descriptor, open_above
from acp_spy.capture.open_flags import BINARY
from acp_spy.capture.opening import open_file
from acp_spy.capture.pipes import open_special
from acp_spy.errors import AcpSpyError, file_word


def write_file(
    path: str,
    parts: Iterable[str | bytes],
    *,
    but: str = "",
    replace: bool = True,
    to_replace: str = "pass overwrite=True",
    beside: bool = False,
) -> str:
    """
    Write `parts` to `path`, replacing what is there, unless not `replace`; return where they are.

    `to_replace` says how the user can replace it.
    With `beside`, what is there is kept, and the file is called `path-2` and so on. Raises
    `AcpSpyError` if it cannot be written, if it is the file `but`, and if it is a capture that is
    being recorded, or may be one: a file that cannot be read is not replaced.
    """
    try:
        if but and os.path.exists(path) and os.path.samefile(path, but):
            raise AcpSpyError(
                f"cannot write `{path}`: it is the capture itself", hint="give a new name"
            )
        # A link stays a link: what it leads to is replaced. No new name leads anywhere.
        follow = (replace and not beside) or is_special(path)
        with open_above(path, follow=follow) as place:
            if follow and (special := _open_special(place)) is not None:
                # Its reader may have closed it, as `head` does.
                with suppress(BrokenPipeError), open(special, "wb") as file:
                    file.writelines(map(encoded, parts))
                return path
            if not beside:
                refuse_running(path, place)
            if replace and not beside:
                refuse_unreadable(path, place)
                before = place.status()
                _write(place, parts, place.name, look=lambda: _refuse_new(path, place, before))
                return place.path
            if not beside and place.status():
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
            name = _write(place, parts, beside=beside)
            return os.path.join(os.path.dirname(path), os.path.basename(name))
    except OSError as error:
        raise _cannot_write(path, error, "" if replace else to_replace) from None


def is_special(path: str) -> bool:
    """Whether it seems to be none of the files that can be replaced."""
    return names_descriptor(path) or (os.path.exists(path) and not os.path.isfile(path))


def _open_special(place: Place) -> int | None:
    """Open a device, a pipe, or what is open already; nothing else."""
    status = place.status()
    if status is None:
        return None
    if not stat.S_ISREG(status.st_mode):
        return open_special(place, os.O_WRONLY | BINARY)
    if not place.is_descriptor:
        return None
    if os.path.dirname(place.path) in ("/dev/fd", f"/proc/{os.getpid()}/fd"):
        return os.dup(int(place.name))  # opened again, it would be written from its start on
    return place.open(os.O_WRONLY | os.O_APPEND)


def _write(
    place: Place,
    parts: Iterable[str | bytes],
    there: str = "",
    *,
    beside: bool = False,
    look: Callable[[], None] = lambda: None,
) -> str:
    """Write a file and return its name: `there`, or else a new one. Before that, `look`."""
    folder = place.folder
    unfinished = _unfinished(place.name, os.getpid())
    descriptor = create(unfinished, folder)
    try:
        with open(descriptor, "wb") as file:
            file.writelines(map(encoded, parts))
        look()
        there = there or _claim(place.name, folder, beside=beside)
        os.replace(unfinished, there, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with suppress(FileNotFoundError):  # a Ctrl-C came when it had its name already
            os.unlink(unfinished, dir_fd=folder)
        raise
    return there


def _claim(path: str, folder: int | None, *, beside: bool) -> str:
    """Return `path`, or with `beside` one like it, that did not exist: now an empty file does."""
    for name in numbered(path) if beside else (path,):
        try:
            os.close(create(name, folder))
        except FileExistsError:
            if not beside:
                raise
        else:
            return name
    raise AssertionError("unreachable")


def _cannot_write(path: str, error: OSError, to_replace: str) -> AcpSpyError:
    real = path
    with suppress(OSError):  # a link that is exchanged at the same time
        real = os.path.realpath(path)
    folder, hint = os.path.dirname(real), ""
    if isinstance(error, FileNotFoundError) and not os.path.isdir(folder or os.curdir):
        hint = f"run `mkdir -p {file_word(folder)}` first"
    if isinstance(error, IsADirectoryError):
        hint = f"give the path of a file, such as `{file_word(os.path.join(path, 'NEW'))}`"
    if isinstance(error, PermissionError) and error.errno == errno.EPERM:
        hint = "use a file, or a pipe in a folder that only you can write to"
    if isinstance(error, FileExistsError):
        left = file_word(_unfinished(real, os.getpid()))
        hint = f"a run that was killed has left a part of it: run `rm {left}`"
        if to_replace:
            hint = f"give a new name, or {to_replace}"
    return AcpSpyError(f"cannot write `{path}`: {error.strerror}", hint=hint)


def unfinished_name(path: str, process: int) -> str:
    """Return where a process writes, by its id, until the file at `path` is complete."""
    return _unfinished(os.path.realpath(path), process)


def _unfinished(target: str, process: int) -> str:
    return f"{target}.{process}.part"


def refuse_running(path: str, place: Place | None = None) -> None:
    """Raise `AcpSpyError` if `path` is being recorded: the rest of it would go nowhere."""
    # Not light, and not every command writes a file.
    from acp_spy.capture.folder import is_running, look_at

    entry = look_at(place.name, place.folder) if place else None
    if entry.running if entry else not place and is_running(path):
        raise AcpSpyError(
            f"cannot write `{path}`: it is a capture that is being recorded",
            hint=f"give a new name; to look at it, run `acp-spy view -f {file_word(path)}`",
        )


def _refuse_new(path: str, place: Place, before: os.stat_result | None) -> None:
    """Raise `AcpSpyError` if a recording has begun there while the file was written."""
    from acp_spy.capture.folder import look_at

    if _identity(place.status()) != _identity(before) and look_at(place.name, place.folder):
        raise AcpSpyError(
            f"cannot write `{path}`: a capture was recorded there meanwhile", hint="give a new name"
        )


def _identity(status: os.stat_result | None) -> tuple[int, ...]:
    """Return what no two files have in common; the number of one that is gone is used again."""
    return (status.st_dev, status.st_ino, status.st_ctime_ns) if status else ()


def refuse_unreadable(path: str, place: Place) -> None:
    """Raise `AcpSpyError` if a file is there that cannot be read: nobody knows what it is."""
    status = place.status()
    if status is None or not stat.S_ISREG(status.st_mode) or not status.st_size:
        return
    try:
        os.close(open_file(place.name, place.folder))
    except FileNotFoundError:  # gone by now
        pass
    except OSError as error:
        raise AcpSpyError(
            f"cannot write `{path}`: it may be a capture, for it cannot be read: {error.strerror}",
            hint=f"give a new name, or remove it first: `rm {file_word(path)}`",
        ) from None


def encoded(part: str | bytes) -> bytes:
    """Return `part` as it is written."""
    return part if isinstance(part, bytes) else part.encode(errors="backslashreplace")
