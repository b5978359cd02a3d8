"""Compression of WebSocket messages, as wsproto has it, without its mistakes."""

from typing import Any

from wsproto.extensions import PerMessageDeflate
from wsproto.frame_protocol import CloseReason, Opcode, RsvBits
from wsproto.utilities import RemoteProtocolError

from acp_spy.remote.inflate import Inflate


class Deflate(PerMessageDeflate):
    """
    A control frame between two fragments does not change how the second is read.

    wsproto 1.3 forgets then that the message is compressed. It also raises `ValueError` for
    parameters that are not numbers and `IndexError` for those without one, and reads nothing after
    a message that ends its stream.
    """

    def accept(self, offer: str) -> bool | str | None:
        """Decline an offer that cannot be read."""
        try:
            return super().accept(offer)
        except (ValueError, IndexError):
            return None

    def finalize(self, offer: str) -> None:
        """Raise `RemoteProtocolError` if what the agent has chosen cannot be read."""
        try:
            super().finalize(offer)
        except (ValueError, IndexError):
            raise RemoteProtocolError("its Sec-WebSocket-Extensions cannot be read") from None

    def frame_inbound_header(
        self, proto: Any, opcode: Opcode, rsv: RsvBits, payload_length: int
    ) -> CloseReason | RsvBits:
        """Leave the state of the message as it is for a control frame."""
        if not opcode.iscontrol():
            result = super().frame_inbound_header(proto, opcode, rsv, payload_length)
            if self._decompressor and not isinstance(self._decompressor, Inflate):
                self._decompressor: Any = Inflate(-15)
            return result
        self._inbound_is_compressible = False
        return CloseReason.PROTOCOL_ERROR if rsv.rsv1 else RsvBits(True, False, False)

    def frame_inbound_complete(self, proto: Any, fin: bool) -> bytes | CloseReason | None:
        """Leave the state of the message as it is for a control frame."""
        return super().frame_inbound_complete(proto, fin) if self._inbound_is_compressible else None
