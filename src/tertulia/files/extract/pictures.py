"""Reads how large a picture is from its header, without unpacking a single pixel."""

import re
import struct
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO

from tertulia.files.extract.domain import Limits

USUAL = Limits()
Size = tuple[int, int]
DAMAGED = "The picture is damaged: its size cannot be read."
#: Markers of a JPEG that begin a frame, and so give its size.
FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
STANDALONE = frozenset({0x01, *range(0xD0, 0xD9)})
MOST_SEGMENTS = 10_000
SEARCHED = 256 * 1024


def picture_problem(file: BinaryIO, mime: str, *, limits: Limits = USUAL) -> str:
    """Return one sentence when the picture is damaged or far too large, else nothing."""
    try:
        width, height = SIZES[mime](file)
    except (struct.error, ValueError, KeyError):
        return DAMAGED
    if width <= 0 or height <= 0:
        return DAMAGED
    if width * height > limits.pixels:
        return f"The picture is too large to show: {width} by {height} pixels."
    return ""


def unpack(form: str, file: BinaryIO, at: int) -> tuple[Any, ...]:
    """Read numbers at a place in the file."""
    file.seek(at)
    return struct.unpack(form, file.read(struct.calcsize(form)))


def png(file: BinaryIO) -> Size:
    """Read the size of a PNG."""
    first, width, height = unpack(">4sII", file, 12)
    if first != b"IHDR":
        raise ValueError("no header")
    return width, height


def gif(file: BinaryIO) -> Size:
    """Read the size of a GIF."""
    width, height = unpack("<HH", file, 6)
    return width, height


def bmp(file: BinaryIO) -> Size:
    """Read the size of a BMP, whose height is negative when it is stored from the top."""
    (header,) = unpack("<I", file, 14)
    width, height = unpack("<HH" if header == 12 else "<ii", file, 18)
    return width, abs(height)


def icon(file: BinaryIO) -> Size:
    """Read the size of an icon's first picture; 0 stands for 256."""
    width, height = unpack("BB", file, 6)
    return width or 256, height or 256


def jpeg(file: BinaryIO) -> Size:
    """Walk a JPEG's segments up to the frame."""
    position = 2
    for _ in range(MOST_SEGMENTS):
        fill, marker = unpack("BB", file, position)
        if fill != 0xFF:
            raise ValueError("no marker where one belongs")
        if marker in FRAMES:
            height, width = unpack(">HH", file, position + 5)
            return width, height
        position += step(file, position, marker)
    raise ValueError("no frame among the first segments")


def step(file: BinaryIO, position: int, marker: int) -> int:
    """Return how many bytes lead to the next marker."""
    if marker == 0xFF:
        return 1
    if marker in STANDALONE:
        return 2
    if marker in {0xD9, 0xDA}:
        raise ValueError("pixels before a frame")
    return 2 + max(unpack(">H", file, position + 2)[0], 2)


def webp(file: BinaryIO) -> Size:
    """Read the size of a WebP in any of its three forms."""
    form = unpack("4s", file, 12)[0]
    if form == b"VP8X":
        raw = unpack("10s", file, 20)[0]
        return 1 + int.from_bytes(raw[4:7], "little"), 1 + int.from_bytes(raw[7:10], "little")
    if form == b"VP8L":
        (bits,) = unpack("<I", file, 21)
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    width, height = unpack("<HH", file, 26)
    return width & 0x3FFF, height & 0x3FFF


def tiff(file: BinaryIO) -> Size:
    """Read the size from a TIFF's first directory."""
    order = "<" if file.read(2) == b"II" else ">"
    (start,) = unpack(f"{order}I", file, 4)
    (count,) = unpack(f"{order}H", file, start)
    found: dict[int, int] = {}
    for entry in range(min(count, 4096)):
        at = start + 2 + entry * 12
        tag, kind = unpack(f"{order}HH", file, at)
        if tag in {256, 257}:
            (found[tag],) = unpack(f"{order}{'H' if kind == 3 else 'I'}", file, at + 8)
    return found[256], found[257]


def boxed(file: BinaryIO) -> Size:
    """Read the largest size that an AVIF or HEIC file names."""
    sizes = re.findall(rb"ispe\0{4}(.{4})(.{4})", file.read(SEARCHED), re.DOTALL)
    found = [(int.from_bytes(width), int.from_bytes(height)) for width, height in sizes]
    return max(found, key=lambda size: size[0] * size[1])


SIZES: Mapping[str, Callable[[BinaryIO], Size]] = {
    "image/png": png,
    "image/jpeg": jpeg,
    "image/gif": gif,
    "image/webp": webp,
    "image/bmp": bmp,
    "image/tiff": tiff,
    "image/x-icon": icon,
    "image/avif": boxed,
    "image/heic": boxed,
}
