"""Whether a picture can be shown, judged by its header."""

from typing import BinaryIO

from tertulia.core.image_header import read_image_size
from tertulia.files.extract.limits import DEFAULT_EXTRACTION_LIMITS, ExtractionLimits

PICTURE_DAMAGED = "The picture is damaged: its size cannot be read."


def find_picture_problem(
    file: BinaryIO, mime: str, *, limits: ExtractionLimits = DEFAULT_EXTRACTION_LIMITS
) -> str:
    """Return one sentence when the picture is damaged or far too large, else nothing."""
    size = read_image_size(file, mime)
    if size is None or size.width <= 0 or size.height <= 0:
        return PICTURE_DAMAGED
    if size.width * size.height > limits.picture_pixels:
        return f"The picture is too large to show: {size.width} by {size.height} pixels."
    return ""
