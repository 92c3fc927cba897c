"""A message between the server and a child: bytes, with their length ahead."""

import struct

import msgspec

FRAME_LENGTH = struct.Struct(">I")

encode_message = msgspec.msgpack.Encoder().encode


def pack_frame(body: bytes) -> bytes:
    """Return bytes as they are sent."""
    return FRAME_LENGTH.pack(len(body)) + body
