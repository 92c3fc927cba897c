"""Tells in which encoding bytes are text, if they are text at all."""

import codecs
import unicodedata

#: UTF-32 before UTF-16: its little-endian mark begins with the other's.
BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
LAYOUT_BYTES = b"\t\n\r\f\v\b\x1b"
CONTROL_BYTES = bytes(code for code in range(32) if code not in LAYOUT_BYTES) + b"\x7f"
CONTROL_BYTES_MAX_SHARE = 0.02
NUL_BYTES_MAX_SHARE = 0.005
WESTERN_ENCODING = "cp1252"
ACCENTED_BYTES_MAX_SHARE = 0.35


def encoding_by_mark(head: bytes) -> str | None:
    """Return the encoding that a byte order mark names."""
    return next((name for mark, name in BYTE_ORDER_MARKS if head.startswith(mark)), None)


def is_text(head: bytes) -> bool:
    """Tell whether these first bytes are those of a text, in whatever encoding."""
    if encoding_by_mark(head) or not head:
        return True
    if 0 in head:
        return guess_utf16(head) is not None or (
            is_utf8(head) and head.count(0) <= len(head) * NUL_BYTES_MAX_SHARE
        )
    return count_controls(head) <= len(head) * CONTROL_BYTES_MAX_SHARE


def count_controls(data: bytes) -> int:
    """Count the bytes that stand for no character and no layout."""
    return len(data) - len(data.translate(None, CONTROL_BYTES))


def is_utf8(sample: bytes) -> bool:
    """Tell whether the sample is UTF-8; its last character may be cut."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)
    except UnicodeDecodeError:
        return False
    return True


def guess_utf16(sample: bytes) -> str | None:
    """Return which UTF-16 a sample without a mark is in, if any."""
    if 0 not in sample:
        return None
    readings = {name: plain_share(sample, name) for name in ("utf-16-le", "utf-16-be")}
    best = max(readings, key=lambda name: readings[name])
    return best if readings[best] > 0 else None


def plain_share(sample: bytes, encoding: str) -> float:
    """Return the share of everyday ASCII among the characters, 0 when some are no characters."""
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(sample)
    except UnicodeDecodeError:
        return 0
    if any(is_no_character(char) for char in text):
        return 0
    return sum(char.isascii() for char in text) / max(len(text), 1)


def is_no_character(char: str) -> bool:
    """Tell whether no text would hold this: a control, or a code that stands for nothing."""
    return char not in "\t\n\r\f\ufeff" and unicodedata.category(char) in {"Cc", "Cn", "Co", "Cs"}


def guess_encoding(sample: bytes) -> str:
    """Return the likeliest encoding of text that is not clean UTF-8."""
    if is_mostly_utf8(sample):
        return "utf-8"
    return guess_utf16(sample) or guess_by_statistics(sample)


def is_mostly_utf8(sample: bytes) -> bool:
    """Tell whether this is UTF-8 with a few bytes damaged."""
    text = sample.decode("utf-8", "replace")
    damaged = text.count("\ufffd")
    good = sum(not char.isascii() for char in text) - damaged
    return good > damaged * 5 or damaged == 0


def guess_by_statistics(sample: bytes) -> str:
    """Return the encoding that makes the sample look most like a language."""
    from charset_normalizer import from_bytes
    from charset_normalizer.utils import is_multi_byte_encoding

    matches = from_bytes(sample, cp_exclusion=["utf_7"])
    best = matches.best()
    if best is None:
        return WESTERN_ENCODING
    if is_multi_byte_encoding(best.encoding) or accented_share(sample) > ACCENTED_BYTES_MAX_SHARE:
        return best.encoding
    # Latin letters with a few accents look alike in many code pages: the commonest is then the best bet.
    western = any(WESTERN_ENCODING in match.could_be_from_charset for match in matches)
    return WESTERN_ENCODING if western else best.encoding


def accented_share(sample: bytes) -> float:
    """Return the share of bytes beyond ASCII among all that are no space."""
    letters = b"".join(sample.split())
    return sum(byte > 127 for byte in letters) / max(len(letters), 1)
