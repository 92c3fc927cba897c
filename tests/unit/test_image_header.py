"""One place reads kind and size of a picture from its first bytes."""

import io

import pytest
from PIL import Image as Drawing

from tertulia.core.image_header import ImageSize, detect_image_mime, image_size

MIMES = {
    "PNG": "image/png",
    "JPEG": "image/jpeg",
    "GIF": "image/gif",
    "WEBP": "image/webp",
    "BMP": "image/bmp",
    "TIFF": "image/tiff",
    "ICO": "image/x-icon",
    "AVIF": "image/avif",
}


def drawn(form: str) -> bytes:
    content = io.BytesIO()
    Drawing.new("RGB", (48, 32), "teal").save(
        content, form, **({"sizes": [(48, 32)]} if form == "ICO" else {})
    )
    return content.getvalue()


@pytest.mark.parametrize("form", MIMES)
def test_kind_and_size_are_read_from_the_first_bytes(form: str) -> None:
    picture = drawn(form)
    assert (detect_image_mime(picture), image_size(picture)) == (MIMES[form], ImageSize(48, 32))


@pytest.mark.parametrize("form", MIMES)
def test_of_a_cut_picture_the_size_is_unknown(form: str) -> None:
    assert image_size(drawn(form)[:16]) is None or form in {"GIF", "ICO"}


@pytest.mark.parametrize("data", [b"", b"RIFF1234WAVE", b"RIFF1234WEBPVP8?" + bytes(20), b"%PDF-1.7"])
def test_what_is_no_picture_has_no_size(data: bytes) -> None:
    assert image_size(data) is None
