"""How large a picture is, read from its first bytes: what it costs depends on nothing else."""

from typing import NamedTuple


class Size(NamedTuple):
    """Pixels across and down."""

    width: int
    height: int


#: Markers of a JPEG that begin a frame and so tell its size.
FRAMES = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}


def size_of(data: bytes) -> Size | None:
    """Return a picture's size, or None where it is none that we know or its beginning is broken."""
    if data.startswith(b"\x89PNG\r\n\x1a\n") and len(data) >= 24:
        return Size(big(data[16:20]), big(data[20:24]))
    if data.startswith((b"GIF87a", b"GIF89a")) and len(data) >= 10:
        return Size(little(data[6:8]), little(data[8:10]))
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP" and len(data) >= 30:
        return webp_size(data)
    return jpeg_size(data) if data.startswith(b"\xff\xd8") else None


def beginning_of(size: Size) -> bytes:
    """Return how a picture of a size begins: enough to count it by, though nobody could see it."""
    width, height = (side.to_bytes(4, "big") for side in size)
    return b"\x89PNG\r\n\x1a\n" + b"\x00\x00\x00\rIHDR" + width + height


def webp_size(data: bytes) -> Size | None:
    """Return the size of a WebP, in whichever of its three kinds it is written."""
    match data[12:16]:
        case b"VP8X":
            return Size(little(data[24:27]) + 1, little(data[27:30]) + 1)
        case b"VP8L":
            bits = little(data[21:25])
            return Size((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
        case b"VP8 ":
            return Size(little(data[26:28]) & 0x3FFF, little(data[28:30]) & 0x3FFF)
        case _:
            return None


def jpeg_size(data: bytes) -> Size | None:
    """Return the size of a JPEG: segments are passed over until one begins a frame."""
    place = 2
    while place + 9 <= len(data) and data[place] == 0xFF:
        if data[place + 1] in FRAMES:
            return Size(big(data[place + 7 : place + 9]), big(data[place + 5 : place + 7]))
        place += 2 + big(data[place + 2 : place + 4])
    return None


def big(digits: bytes) -> int:
    """Return a number written with its largest digit first."""
    return int.from_bytes(digits, "big")


def little(digits: bytes) -> int:
    """Return a number written with its smallest digit first."""
    return int.from_bytes(digits, "little")
