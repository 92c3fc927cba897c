"""A picture's size is read from its first bytes, and it costs what its maker says."""

import io
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image as Drawing
from tests.effort import effort

from tertulia.core.image_header import ImageSize, image_size, png_header
from tertulia.models.calls import Image
from tertulia.models.image_tokens import count_image_tokens

KINDS: dict[str, dict[str, Any]] = {
    "png": {"format": "PNG"},
    "gif": {"format": "GIF"},
    "jpeg": {"format": "JPEG"},
    "progressive jpeg": {"format": "JPEG", "progressive": True},
    "jpeg with a comment": {"format": "JPEG", "comment": b"x" * 5_000},
    "webp": {"format": "WEBP"},
    "lossless webp": {"format": "WEBP", "lossless": True},
    "webp with a profile": {"format": "WEBP", "exif": b"Exif\x00\x00MM\x00*"},
}


@cache
def drawn(width: int, height: int, **how: Any) -> bytes:
    content = io.BytesIO()
    Drawing.new("RGB", (width, height), "teal").save(content, **how)
    return content.getvalue()


@pytest.mark.parametrize("kind", KINDS)
@given(width=st.integers(1, 700), height=st.integers(1, 300))
@settings(max_examples=effort(15))
def test_the_size_of_a_picture_is_read_as_the_library_reads_it(kind: str, width: int, height: int) -> None:
    assert image_size(drawn(width, height, **KINDS[kind])) == ImageSize(width, height)


@given(width=st.integers(0, 100_000), height=st.integers(0, 100_000))
def test_a_picture_of_which_only_the_size_is_known_has_that_size(width: int, height: int) -> None:
    assert image_size(png_header(ImageSize(width, height))) == ImageSize(width, height)


@given(start=st.sampled_from([drawn(9, 9, **how) for how in KINDS.values()]), data=st.data())
@settings(max_examples=effort(150))
def test_no_broken_beginning_is_more_than_a_picture_of_unknown_size(
    start: bytes, data: st.DataObject
) -> None:
    cut = start[: data.draw(st.integers(0, len(start)))]
    noise = data.draw(st.binary(max_size=20))
    for name in ("gpt-5", "gpt-6", "claude-sonnet-5", "gemini-3-pro", "another"):
        assert count_image_tokens(Image("image/png", cut + noise), name) > 0


@pytest.mark.parametrize(
    ("name", "width", "height", "tokens"),
    [
        ("gpt-4o", 1024, 1024, 765),
        ("gpt-4.1", 2048, 4096, 1105),
        ("gpt-4o-mini", 1024, 1024, 25_501),
        ("gpt-5", 1024, 1024, 630),
        ("gpt-5-mini", 1024, 1024, 1_659),
        ("gpt-5.5", 1920, 1080, 2_448),
        ("gpt-6", 4032, 3024, 14_364),
        ("claude-haiku-4-5", 4032, 3024, 1_568),
        ("claude-sonnet-5", 1920, 1080, 2_691),
        ("gemini-3-pro", 4032, 3024, 1_120),
        ("llava", 100, 100, 1_600),
    ],
)
def test_a_picture_costs_what_its_maker_says(name: str, width: int, height: int, tokens: int) -> None:
    assert count_image_tokens(Image("image/png", drawn(width, height, format="PNG")), name) == tokens
