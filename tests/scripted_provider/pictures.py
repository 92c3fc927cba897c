"""What a picture costs at a provider, as its documentation says; one that is no PNG has the usual price."""

from base64 import b64decode
from math import ceil

USUAL = 1_600
#: A tile's price, by the beginning of a model's name; the whole picture costs half a tile more.
TILES = {"gpt-4o-mini": 5_667, "gpt-4": 170, "gpt-5": 140, "o1": 150, "o3": 150}


def png_size(data: str) -> tuple[int, int] | None:
    """Read the size of a PNG in base64, with or without the head of a data address."""
    content = b64decode(data.rpartition(",")[2])
    if content[1:4] != b"PNG" or content[12:16] != b"IHDR":
        return None
    return int.from_bytes(content[16:20]), int.from_bytes(content[20:24])


def squares(width: float, height: float, side: int) -> int:
    """Count the squares that cover a picture."""
    return ceil(width / side) * ceil(height / side)


def openai_price(data: str, model: str) -> int:
    """Price a picture in tiles, or in squares of 32 pixels for OpenAI's newest models."""
    size = png_size(data)
    if size is None or not model.startswith(("gpt-", "o")):
        return USUAL
    tile = next(
        (price for name, price in TILES.items() if model.startswith(name) and "5." not in model), None
    )
    if tile is None:
        return ceil(1.2 * squares(*size, 32))
    smaller = min(1, 2048 / max(size), 768 / min(size))
    return tile // 2 + tile * squares(size[0] * smaller, size[1] * smaller, 512)


def anthropic_price(data: str) -> int:
    """Price a picture in squares of 28 pixels, of which there are at most 1,568."""
    size = png_size(data)
    return USUAL if size is None else min(1_568, squares(*size, 28))


#: Gemini's price for any picture.
GEMINI_PRICE = 1_120
