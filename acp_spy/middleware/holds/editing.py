"""Edit a held frame: its text in a file while the user's editor runs, and back."""

import os
import shlex
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import msgspec

from acp_spy.capture.codec import decode
from acp_spy.capture.links import create
from acp_spy.capture.lock import open_to_look, take
from acp_spy.capture.temporary_place import remove_tree, temporary_place
from acp_spy.errors import AcpSpyError
from acp_spy.middleware.holds.client import ControlClient
from acp_spy.wire.frame import Frame
from acp_spy.wire.inert import inert_json

_PREFIX = "acp-spy-frame-"
_MARK = ".acp-spy-edit"  # in a folder of ours: the user may have one that is called so


class Editing:
    """The text of the held frame `seq`. It is in a file only while the editor runs."""

    def __init__(self, seq: int, text: str) -> None:
        self.seq = seq
        self._before = self.text = text

    @property
    def has_changed(self) -> bool:
        """Whether the text is not that of the frame any more."""
        return self.text.rstrip("\n") != self._before.rstrip("\n")

    def run_editor(self) -> None:
        """
        Let the user edit the text in $VISUAL or $EDITOR, in this terminal.

        Raises `AcpSpyError` if that fails; what has been written until then is kept.
        """
        editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
        _remove_left_over()
        with _folder() as (folder, lock):  # of its own: some editors leave a backup beside the file
            path = os.path.join(folder, f"frame-{self.seq}.json")
            _write(path, self.text)
            try:
                status = subprocess.run(
                    [*shlex.split(editor), path],
                    check=False,
                    pass_fds=(lock,),  # it holds it, too: it may live longer than we do
                ).returncode
            except (OSError, ValueError) as error:
                reason = getattr(error, "strerror", None) or str(error)
                raise AcpSpyError(
                    f"cannot start the editor `{editor}`: {reason}",
                    hint="set $EDITOR, or give the message with --with",
                ) from None
            if os.path.exists(path) and not os.path.isfile(path):  # a pipe would be waited for
                raise AcpSpyError(f"cannot read `{path}`: not a regular file")
            try:
                self.text = read_text(path)
            except AcpSpyError as error:
                if not os.path.isfile(path):
                    raise
                os.chmod(path, 0o600)  # an editor may have made a new file, which others can read
                kept = _new_file()
                os.replace(path, kept)
                raise AcpSpyError(error.message, hint=f"your text was kept in {kept}") from None
        if status:
            raise AcpSpyError(
                f"the editor `{editor}` ended with status {status}; the frame is still held"
            )

    def send(self, client: ControlClient, *, keep: bool = False) -> list[str]:
        """
        Send the text; return what was done, as lines.

        Raises `AcpSpyError` if it is refused: then the frame is held as before.
        """
        if not self.has_changed:
            return [f"frame {self.seq} was not changed, and is still held"]
        return send_text(client, self.seq, self.text, keep=keep)

    def save(self) -> str:
        """Write the text to a new file, for the user to correct it; return the path."""
        path = _new_file()
        _write(path, self.text)
        return path


def _new_file() -> str:
    try:
        descriptor, path = tempfile.mkstemp(".json", _PREFIX, temporary_place())
        os.close(descriptor)
    except OSError as error:
        raise _no_room(error) from None
    return path


def begin_edit(held: dict[str, Any]) -> Editing:
    """Begin to edit a held frame, as `get` returns it."""
    return Editing(held["seq"], readable(frame_of(held).raw))


def forget_saved(path: str) -> None:
    """Remove a file that `save` has written, now that its text is delivered; no other file."""
    folder, name = os.path.split(path)
    if name.startswith(_PREFIX) and folder == temporary_place():
        with suppress(OSError):
            os.unlink(path)


@contextmanager
def _folder() -> Iterator[tuple[str, int]]:
    """Give a new folder that only the user can read, and its lock: it is not left over."""
    try:
        folder, lock = _new_folder()
    except OSError as error:
        raise _no_room(error) from None
    try:
        yield folder, lock
    finally:
        remove_tree(folder)
        os.close(lock)


def _new_folder() -> tuple[str, int]:
    """Make one. It is marked when it is locked: no other process takes it for left over."""
    folder = tempfile.mkdtemp(prefix=_PREFIX, dir=temporary_place())
    try:
        lock = open_to_look(folder)
    except OSError:
        os.rmdir(folder)
        raise
    try:
        take(lock, wait=True)
        os.close(create(os.path.join(folder, _MARK), None))
    except OSError:
        remove_tree(folder)
        os.close(lock)
        raise
    return folder, lock


def _write(path: str, text: str) -> None:
    try:
        with suppress(FileExistsError):  # then it is a file of ours, or one that we have made
            os.close(create(path, None))
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
    except OSError as error:
        raise _no_room(error) from None


def _no_room(error: OSError) -> AcpSpyError:
    return AcpSpyError(
        f"cannot write the text to a temporary file: {error.strerror}",
        hint="free some space, or set TMPDIR to a folder that you can write to",
    )


def _remove_left_over() -> None:
    """Remove the folders of killed edits: nobody has locked them. What has no mark is not ours."""
    with suppress(OSError, AcpSpyError), os.scandir(temporary_place()) as found:
        for entry in found:
            if entry.name.startswith(_PREFIX) and entry.is_dir(follow_symlinks=False):
                with suppress(OSError):  # gone by now, or somebody else's
                    _remove_unless_locked(entry.path)


def _remove_unless_locked(folder: str) -> None:
    descriptor = open_to_look(folder)
    try:
        is_ours = os.fstat(descriptor).st_uid == os.geteuid()
        is_made_by_us = is_ours and _MARK in os.listdir(descriptor)
        if is_made_by_us and take(descriptor, wait=False):
            remove_tree(folder)
    finally:
        os.close(descriptor)


def send_text(
    client: ControlClient, seq: int, text: str, *, force: bool = False, keep: bool = False
) -> list[str]:
    """Deliver a text in place of a frame. Raises `AcpSpyError` if it is refused."""
    try:
        client.ask("edit", seq=seq, text=text, force=force, keep=keep)
    except AcpSpyError as error:
        client.ask("get", seq=seq)  # raises if it is not held any more
        hint = "correct it, or use --force to send it as it is"
        raise AcpSpyError(f"{error.message}; frame {seq} is still held", hint=hint) from None
    return [f"edited frame {seq}" + (", which is still held" if keep else " and released it")]


def frame_of(held: dict[str, Any]) -> Frame:
    """Return the frame in a reply to `get`."""
    try:
        frame = decode(msgspec.json.encode(held["frame"]))
    except ValueError:
        frame = None
    if not isinstance(frame, Frame):
        raise AcpSpyError("cannot read the held frame: what answers for the run is not acp-spy")
    return frame


def readable(raw: bytes) -> str:
    """Return a message on several lines, to be read and edited: nothing in it acts, or hides."""
    try:
        return inert_json(msgspec.json.format(raw, indent=2).decode()) + "\n"
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return raw.decode(errors="backslashreplace")


def read_text(path: str) -> str:
    """Return the text in a file."""
    try:
        with open(path, encoding="utf-8", newline="") as file:  # a frame may have a CR
            return file.read()
    except OSError as error:
        raise AcpSpyError(f"cannot read `{path}`: {error.strerror}") from None
    except UnicodeDecodeError:
        raise AcpSpyError(f"cannot read `{path}`: not UTF-8") from None
