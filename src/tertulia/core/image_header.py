"""What the first bytes of a picture say: its kind and its size, without unpacking a single pixel."""

import re
import struct
from collections.abc import Callable, Mapping
from io import BytesIO
from typing import Any, BinaryIO, NamedTuple

PNG_MIME = "image/png"
PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
IMAGE_KIND_PATTERNS = (
    (re.compile(PNG_SIGNATURE), PNG_MIME),
    (re.compile(rb"\xff\xd8\xff"), "image/jpeg"),
    (re.compile(rb"GIF8[79]a"), "image/gif"),
    (re.compile(rb"RIFF.{4}WEBP", re.DOTALL), "image/webp"),
    (re.compile(rb"BM.{4}\0\0\0\0.{3}\0[\x0c-\x7c]\0\0\0", re.DOTALL), "image/bmp"),
    (re.compile(rb"II\*\0|MM\0\*"), "image/tiff"),
    (re.compile(rb"\0\0\x01\0[^\0]\0"), "image/x-icon"),
    (re.compile(rb".{4}ftypavi[fs]", re.DOTALL), "image/avif"),
    (re.compile(rb".{4}ftyp(hei[cx]|hev[cx]|mif1|msf1)", re.DOTALL), "image/heic"),
)
#: Markers of a JPEG that begin a frame, and so give its size.
JPEG_SIZE_MARKERS = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
JPEG_STANDALONE_MARKERS = frozenset({0x01, *range(0xD0, 0xD9)})
JPEG_SEGMENTS_MAX = 10_000
SIZE_BOX_SEARCH_BYTES = 256 * 1024


class ImageSize(NamedTuple):
    """Pixels across and down."""

    width: int
    height: int


def detect_image_mime(head: bytes) -> str | None:
    """Return what kind of picture begins like this, or None for what is none that we know."""
    return next((mime for pattern, mime in IMAGE_KIND_PATTERNS if pattern.match(head)), None)


def image_size(data: bytes) -> ImageSize | None:
    """Return a picture's size, or None where it is none that we know or its beginning is broken."""
    mime = detect_image_mime(data)
    return read_image_size(BytesIO(data), mime) if mime else None


def read_image_size(file: BinaryIO, mime: str) -> ImageSize | None:
    """Return the size of a picture of a known kind, or None where its beginning is broken."""
    try:
        return IMAGE_SIZE_READERS[mime](file)
    except (struct.error, ValueError, KeyError):
        return None


def png_header(size: ImageSize) -> bytes:
    """Return how a picture of a size begins: enough to count it by, though nobody could see it."""
    width, height = (side.to_bytes(4, "big") for side in size)
    return PNG_SIGNATURE + b"\x00\x00\x00\rIHDR" + width + height


def read_numbers(form: str, file: BinaryIO, at: int) -> tuple[Any, ...]:
    """Read numbers at a place in the file."""
    file.seek(at)
    return struct.unpack(form, file.read(struct.calcsize(form)))


def png_size(file: BinaryIO) -> ImageSize:
    """Read the size of a PNG."""
    first, width, height = read_numbers(">4sII", file, 12)
    if first != b"IHDR":
        raise ValueError("no header")
    return ImageSize(width, height)


def gif_size(file: BinaryIO) -> ImageSize:
    """Read the size of a GIF."""
    width, height = read_numbers("<HH", file, 6)
    return ImageSize(width, height)


def bmp_size(file: BinaryIO) -> ImageSize:
    """Read the size of a BMP, whose height is negative when it is stored from the top."""
    (header,) = read_numbers("<I", file, 14)
    width, height = read_numbers("<HH" if header == 12 else "<ii", file, 18)
    return ImageSize(width, abs(height))


def icon_size(file: BinaryIO) -> ImageSize:
    """Read the size of an icon's first picture; 0 stands for 256."""
    width, height = read_numbers("BB", file, 6)
    return ImageSize(width or 256, height or 256)


def jpeg_size(file: BinaryIO) -> ImageSize:
    """Walk a JPEG's segments up to the frame."""
    position = 2
    for _ in range(JPEG_SEGMENTS_MAX):
        fill, marker = read_numbers("BB", file, position)
        if fill != 0xFF:
            raise ValueError("no marker where one belongs")
        if marker in JPEG_SIZE_MARKERS:
            height, width = read_numbers(">HH", file, position + 5)
            return ImageSize(width, height)
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


def webp_size(file: BinaryIO) -> ImageSize:
    """Read the size of a WebP in any of its three forms."""
    form = read_numbers("4s", file, 12)[0]
    if form == b"VP8X":
        raw = read_numbers("10s", file, 20)[0]
        return ImageSize(1 + int.from_bytes(raw[4:7], "little"), 1 + int.from_bytes(raw[7:10], "little"))
    if form == b"VP8L":
        (bits,) = read_numbers("<I", file, 21)
        return ImageSize(1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF))
    if form != b"VP8 ":
        raise ValueError("none of the three forms")
    width, height = read_numbers("<HH", file, 26)
    return ImageSize(width & 0x3FFF, height & 0x3FFF)


def tiff_size(file: BinaryIO) -> ImageSize:
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
    return ImageSize(found[256], found[257])


def heif_size(file: BinaryIO) -> ImageSize:
    """Read the largest size that an AVIF or HEIC file names."""
    sizes = re.findall(rb"ispe\0{4}(.{4})(.{4})", file.read(SIZE_BOX_SEARCH_BYTES), re.DOTALL)
    found = [ImageSize(int.from_bytes(width), int.from_bytes(height)) for width, height in sizes]
    return max(found, key=lambda size: size.width * size.height)


IMAGE_SIZE_READERS: Mapping[str, Callable[[BinaryIO], ImageSize]] = {
    PNG_MIME: png_size,
    "image/jpeg": jpeg_size,
    "image/gif": gif_size,
    "image/webp": webp_size,
    "image/bmp": bmp_size,
    "image/tiff": tiff_size,
    "image/x-icon": icon_size,
    "image/avif": heif_size,
    "image/heic": heif_size,
}
