"""Compression of WebSocket messages, as wsproto has it, but for a ping in the middle of one."""

from typing import Any

from wsproto.extensions import PerMessageDeflate
from wsproto.frame_protocol import CloseReason, Opcode, RsvBits


class Deflate(PerMessageDeflate):
    """
    A control frame between two fragments does not change how the second is read.

    wsproto 1.3 forgets then that the message is compressed.
    """

    def frame_inbound_header(
        self, proto: Any, opcode: Opcode, rsv: RsvBits, payload_length: int
    ) -> CloseReason | RsvBits:
        """Leave the state of the message as it is for a control frame."""
        if not opcode.iscontrol():
            return super().frame_inbound_header(proto, opcode, rsv, payload_length)
        self._inbound_is_compressible = False
        return CloseReason.PROTOCOL_ERROR if rsv.rsv1 else RsvBits(True, False, False)

    def frame_inbound_complete(self, proto: Any, fin: bool) -> bytes | CloseReason | None:
        """Leave the state of the message as it is for a control frame."""
        return super().frame_inbound_complete(proto, fin) if self._inbound_is_compressible else None
