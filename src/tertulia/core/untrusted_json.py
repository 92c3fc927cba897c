"""JSON that other programs wrote: whatever it holds, it is read or ends in one error."""

import re
from array import array
from itertools import accumulate
from typing import Any, Generic, TypeVar, cast

import msgspec

T = TypeVar("T")

#: Objects and lists inside one another. Deeper values cannot be written, compared or stored safely again.
JSON_DEPTH_MAX = 128

#: A string, up to its closing quote or the end: nothing is looked at twice, however many quotes there are.
JSON_STRING_PATTERN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
#: Signed bytes that say how each bracket changes the depth.
BRACKET_DEPTH_STEPS = bytes.maketrans(b"[{]}", bytes([1, 1, 255, 255]))
#: So many brackets are looked at before it is asked whether they lead too deep already.
DEPTH_CHECK_BRACKETS = 4_096
NON_BRACKET_BYTES = bytes(byte for byte in range(256) if byte not in b"[]{}")
#: Any escape; `lone` where it is half of a surrogate pair without its other half.
JSON_ESCAPE_PATTERN = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(?P<lone>u[dD][89a-fA-F][0-9a-fA-F]{2})"
    rb"|.)",
    re.DOTALL,
)


class JsonUnreadable(ValueError):
    """The text is no JSON of the expected shape; the message says what is wrong with it."""


class JsonReader(Generic[T]):
    """Reads JSON of one shape."""

    def __init__(self, shape: type[T], *, strict: bool = True) -> None:
        self._decode = msgspec.json.Decoder(shape, strict=strict).decode

    def read(self, text: bytes | str) -> T:
        """Return the value; half of a surrogate pair reads as U+FFFD, so that the words around it stay."""
        data = encode_utf8(text) if isinstance(text, str) else text
        if is_too_deep(data):
            raise JsonUnreadable(f"it is nested more than {JSON_DEPTH_MAX} levels deep")
        try:
            return self._decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            repaired = replace_lone_surrogates(data)
            if repaired == data:
                raise JsonUnreadable(str(error)) from None
        try:
            return self._decode(repaired)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise JsonUnreadable(str(error)) from None


_any_json: JsonReader[Any] = JsonReader(cast("Any", Any))


def read_json(text: bytes | str) -> Any:
    """Return the value that a text says, of whatever shape."""
    return _any_json.read(text)


def encode_utf8(text: str) -> bytes:
    """Return a text as UTF-8, with surrogates joined where they are pairs and replaced where they are not."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


def is_too_deep(data: bytes) -> bool:
    """Tell whether objects and lists are nested deeper than we read."""
    if data.count(b"[") + data.count(b"{") <= JSON_DEPTH_MAX:
        return False
    steps = array("b", JSON_STRING_PATTERN.sub(b"", data).translate(BRACKET_DEPTH_STEPS, NON_BRACKET_BYTES))
    depth = 0
    for start in range(0, len(steps), DEPTH_CHECK_BRACKETS):
        levels = list(accumulate(steps[start : start + DEPTH_CHECK_BRACKETS], initial=depth))
        if max(levels) > JSON_DEPTH_MAX:
            return True
        depth = levels[-1]
    return False


def replace_lone_surrogates(data: bytes) -> bytes:
    """Return JSON with U+FFFD in the place of each half of a surrogate pair that stands alone."""
    return JSON_ESCAPE_PATTERN.sub(lambda found: rb"\ufffd" if found["lone"] else found[0], data)
