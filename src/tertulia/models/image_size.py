"""How large a picture is, read from its first bytes: what it costs depends on nothing else."""

from typing import NamedTuple


class ImageSize(NamedTuple):
    """Pixels across and down."""

    width: int
    height: int


#: Markers of a JPEG that begin a frame and so tell its size.
JPEG_FRAME_MARKERS = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}


def image_size(data: bytes) -> ImageSize | None:
    """Return a picture's size, or None where it is none that we know or its beginning is broken."""
    if data.startswith(b"\x89PNG\r\n\x1a\n") and len(data) >= 24:
        return ImageSize(from_big_endian(data[16:20]), from_big_endian(data[20:24]))
    if data.startswith((b"GIF87a", b"GIF89a")) and len(data) >= 10:
        return ImageSize(from_little_endian(data[6:8]), from_little_endian(data[8:10]))
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP" and len(data) >= 30:
        return webp_size(data)
    return jpeg_size(data) if data.startswith(b"\xff\xd8") else None


def png_header(size: ImageSize) -> bytes:
    """Return how a picture of a size begins: enough to count it by, though nobody could see it."""
    width, height = (side.to_bytes(4, "big") for side in size)
    return b"\x89PNG\r\n\x1a\n" + b"\x00\x00\x00\rIHDR" + width + height


def webp_size(data: bytes) -> ImageSize | None:
    """Return the size of a WebP, in whichever of its three kinds it is written."""
    match data[12:16]:
        case b"VP8X":
            return ImageSize(from_little_endian(data[24:27]) + 1, from_little_endian(data[27:30]) + 1)
        case b"VP8L":
            bits = from_little_endian(data[21:25])
            return ImageSize((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
        case b"VP8 ":
            return ImageSize(
                from_little_endian(data[26:28]) & 0x3FFF, from_little_endian(data[28:30]) & 0x3FFF
            )
        case _:
            return None


def jpeg_size(data: bytes) -> ImageSize | None:
    """Return the size of a JPEG: segments are passed over until one begins a frame."""
    place = 2
    while place + 9 <= len(data) and data[place] == 0xFF:
        if data[place + 1] in JPEG_FRAME_MARKERS:
            return ImageSize(
                from_big_endian(data[place + 7 : place + 9]), from_big_endian(data[place + 5 : place + 7])
            )
        place += 2 + from_big_endian(data[place + 2 : place + 4])
    return None


def from_big_endian(digits: bytes) -> int:
    """Return a number written with its largest digit first."""
    return int.from_bytes(digits, "big")


def from_little_endian(digits: bytes) -> int:
    """Return a number written with its smallest digit first."""
    return int.from_bytes(digits, "little")
