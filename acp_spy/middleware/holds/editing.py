"""Edit a held frame: its text in a file, the user's editor, and back."""

import os
import shlex
import subprocess
import tempfile
from typing import Any

import msgspec

from acp_spy.capture.codec import decode
from acp_spy.errors import AcpSpyError
from acp_spy.middleware.holds.client import ControlClient
from acp_spy.wire.frame import Frame


class Editing:
    """The text of a held frame in a file at `path`, which stays until it has been accepted."""

    def __init__(self, seq: int, text: str) -> None:
        self.seq = seq
        self._before = text
        descriptor, self.path = tempfile.mkstemp(prefix="acp-spy-frame-", suffix=".json")
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(text)

    def send(self, client: ControlClient, *, keep: bool = False) -> list[str]:
        """
        Send what the file has now; return what was done, as lines.

        Raises `AcpSpyError` if it is refused: then the frame is held as before, and the file stays.
        """
        text = read_text(self.path)
        if text.rstrip("\n") == self._before.rstrip("\n"):
            self.forget()
            return [f"frame {self.seq} was not changed, and is still held"]
        try:
            lines = send_text(client, self.seq, text, keep=keep)
        except AcpSpyError as error:
            again = f"acp-spy hold edit {self.seq} --with {shlex.quote(self.path)}"
            hint = f"your text was kept: correct it and run `{again}`"
            raise AcpSpyError(error.message, hint=hint) from None
        self.forget()
        return lines

    def forget(self) -> None:
        """Remove the file."""
        os.unlink(self.path)


def begin_edit(held: dict[str, Any]) -> Editing:
    """Begin to edit a held frame, as `get` returns it."""
    return Editing(held["seq"], readable(frame_of(held).raw))


def send_text(
    client: ControlClient, seq: int, text: str, *, force: bool = False, keep: bool = False
) -> list[str]:
    """Deliver a text in place of a frame. Raises `AcpSpyError` if it is refused."""
    try:
        client.ask("edit", seq=seq, text=text, force=force, keep=keep)
    except AcpSpyError as error:
        hint = "correct it, or use --force to send it as it is"
        raise AcpSpyError(f"{error.message}; frame {seq} is still held", hint=hint) from None
    return [f"edited frame {seq}" + (", which is still held" if keep else " and released it")]


def frame_of(held: dict[str, Any]) -> Frame:
    """Return the frame in a reply to `get`."""
    frame = decode(msgspec.json.encode(held["frame"]))
    assert isinstance(frame, Frame)
    return frame


def readable(raw: bytes) -> str:
    """Return a message on several lines, to be read and edited."""
    try:
        return msgspec.json.format(raw, indent=2).decode() + "\n"
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return raw.decode(errors="backslashreplace")


def read_text(path: str) -> str:
    """Return the text in a file."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError as error:
        raise AcpSpyError(f"cannot read `{path}`: {error.strerror}") from None
    except UnicodeDecodeError:
        raise AcpSpyError(f"cannot read `{path}`: not UTF-8") from None


def run_editor(path: str) -> None:
    """Let the user edit a file in $VISUAL or $EDITOR, in this terminal."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    try:
        status = subprocess.run([*shlex.split(editor), path], check=False).returncode
    except (OSError, ValueError) as error:
        os.unlink(path)
        reason = getattr(error, "strerror", None) or str(error)
        raise AcpSpyError(
            f"cannot start the editor `{editor}`: {reason}",
            hint="set $EDITOR, or give the message with --with",
        ) from None
    if status:
        raise AcpSpyError(
            f"the editor `{editor}` ended with status {status}; the frame is still held",
            hint=f"your text is in {path}",
        )
