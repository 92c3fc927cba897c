"""Reads how large a picture is from its header, without unpacking a single pixel."""

import re
import struct
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO

from tertulia.files.extract.domain import ExtractionLimits

DEFAULT_PICTURE_LIMITS = ExtractionLimits()
PixelSize = tuple[int, int]
PICTURE_DAMAGED = "The picture is damaged: its size cannot be read."
#: Markers of a JPEG that begin a frame, and so give its size.
JPEG_SIZE_MARKERS = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
JPEG_STANDALONE_MARKERS = frozenset({0x01, *range(0xD0, 0xD9)})
JPEG_SEGMENTS_MAX = 10_000
SIZE_BOX_SEARCH_BYTES = 256 * 1024


def find_picture_problem(
    file: BinaryIO, mime: str, *, limits: ExtractionLimits = DEFAULT_PICTURE_LIMITS
) -> str:
    """Return one sentence when the picture is damaged or far too large, else nothing."""
    try:
        width, height = SIZE_READERS[mime](file)
    except (struct.error, ValueError, KeyError):
        return PICTURE_DAMAGED
    if width <= 0 or height <= 0:
        return PICTURE_DAMAGED
    if width * height > limits.pixels:
        return f"The picture is too large to show: {width} by {height} pixels."
    return ""


def read_numbers(form: str, file: BinaryIO, at: int) -> tuple[Any, ...]:
    """Read numbers at a place in the file."""
    file.seek(at)
    return struct.unpack(form, file.read(struct.calcsize(form)))


def png_size(file: BinaryIO) -> PixelSize:
    """Read the size of a PNG."""
    first, width, height = read_numbers(">4sII", file, 12)
    if first != b"IHDR":
        raise ValueError("no header")
    return width, height


def gif_size(file: BinaryIO) -> PixelSize:
    """Read the size of a GIF."""
    width, height = read_numbers("<HH", file, 6)
    return width, height


def bmp_size(file: BinaryIO) -> PixelSize:
    """Read the size of a BMP, whose height is negative when it is stored from the top."""
    (header,) = read_numbers("<I", file, 14)
    width, height = read_numbers("<HH" if header == 12 else "<ii", file, 18)
    return width, abs(height)


def icon_size(file: BinaryIO) -> PixelSize:
    """Read the size of an icon's first picture; 0 stands for 256."""
    width, height = read_numbers("BB", file, 6)
    return width or 256, height or 256


def jpeg_size(file: BinaryIO) -> PixelSize:
    """Walk a JPEG's segments up to the frame."""
    position = 2
    for _ in range(JPEG_SEGMENTS_MAX):
        fill, marker = read_numbers("BB", file, position)
        if fill != 0xFF:
            raise ValueError("no marker where one belongs")
        if marker in JPEG_SIZE_MARKERS:
            height, width = read_numbers(">HH", file, position + 5)
            return width, height
        position += jpeg_segment_length(file, position, marker)
    raise ValueError("no frame among the first segments")


def jpeg_segment_length(file: BinaryIO, position: int, marker: int) -> int:
    """Return how many bytes lead to the next marker."""
    if marker == 0xFF:
        return 1
    if marker in JPEG_STANDALONE_MARKERS:
        return 2
    if marker in {0xD9, 0xDA}:
        raise ValueError("pixels before a frame")
    return 2 + max(read_numbers(">H", file, position + 2)[0], 2)


def webp_size(file: BinaryIO) -> PixelSize:
    """Read the size of a WebP in any of its three forms."""
    form = read_numbers("4s", file, 12)[0]
    if form == b"VP8X":
        raw = read_numbers("10s", file, 20)[0]
        return 1 + int.from_bytes(raw[4:7], "little"), 1 + int.from_bytes(raw[7:10], "little")
    if form == b"VP8L":
        (bits,) = read_numbers("<I", file, 21)
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    width, height = read_numbers("<HH", file, 26)
    return width & 0x3FFF, height & 0x3FFF


def tiff_size(file: BinaryIO) -> PixelSize:
    """Read the size from a TIFF's first directory."""
    order = "<" if file.read(2) == b"II" else ">"
    (start,) = read_numbers(f"{order}I", file, 4)
    (count,) = read_numbers(f"{order}H", file, start)
    found: dict[int, int] = {}
    for entry in range(min(count, 4096)):
        at = start + 2 + entry * 12
        tag, kind = read_numbers(f"{order}HH", file, at)
        if tag in {256, 257}:
            (found[tag],) = read_numbers(f"{order}{'H' if kind == 3 else 'I'}", file, at + 8)
    return found[256], found[257]


def heif_size(file: BinaryIO) -> PixelSize:
    """Read the largest size that an AVIF or HEIC file names."""
    sizes = re.findall(rb"ispe\0{4}(.{4})(.{4})", file.read(SIZE_BOX_SEARCH_BYTES), re.DOTALL)
    found = [(int.from_bytes(width), int.from_bytes(height)) for width, height in sizes]
    return max(found, key=lambda size: size[0] * size[1])


SIZE_READERS: Mapping[str, Callable[[BinaryIO], PixelSize]] = {
    "image/png": png_size,
    "image/jpeg": jpeg_size,
    "image/gif": gif_size,
    "image/webp": webp_size,
    "image/bmp": bmp_size,
    "image/tiff": tiff_size,
    "image/x-icon": icon_size,
    "image/avif": heif_size,
    "image/heic": heif_size,
}
