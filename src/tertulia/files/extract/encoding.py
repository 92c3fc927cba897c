"""Tells in which encoding bytes are text, if they are text at all."""

import codecs
import unicodedata

#: UTF-32 before UTF-16: its little-endian mark begins with the other's.
MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
LAYOUT = b"\t\n\r\f\v\b\x1b"
CONTROLS = bytes(code for code in range(32) if code not in LAYOUT) + b"\x7f"
MOST_CONTROLS = 0.02
FEW_NULS = 0.005
WESTERN = "cp1252"
MOST_ACCENTED = 0.35


def marked(head: bytes) -> str | None:
    """Return the encoding that a byte order mark names."""
    return next((name for mark, name in MARKS if head.startswith(mark)), None)


def is_text(head: bytes) -> bool:
    """Tell whether these first bytes are those of a text, in whatever encoding."""
    if marked(head) or not head:
        return True
    if 0 in head:
        return wide(head) is not None or (is_utf8(head) and head.count(0) <= len(head) * FEW_NULS)
    return controls(head) <= len(head) * MOST_CONTROLS


def controls(data: bytes) -> int:
    """Count the bytes that stand for no character and no layout."""
    return len(data) - len(data.translate(None, CONTROLS))


def is_utf8(sample: bytes) -> bool:
    """Tell whether the sample is UTF-8; its last character may be cut."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)
    except UnicodeDecodeError:
        return False
    return True


def wide(sample: bytes) -> str | None:
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


def guess(sample: bytes) -> str:
    """Return the likeliest encoding of text that is not clean UTF-8."""
    if mostly_utf8(sample):
        return "utf-8"
    return wide(sample) or by_statistics(sample)


def mostly_utf8(sample: bytes) -> bool:
    """Tell whether this is UTF-8 with a few bytes damaged."""
    text = sample.decode("utf-8", "replace")
    damaged = text.count("\ufffd")
    good = sum(not char.isascii() for char in text) - damaged
    return good > damaged * 5 or damaged == 0


def by_statistics(sample: bytes) -> str:
    """Return the encoding that makes the sample look most like a language."""
    from charset_normalizer import from_bytes  # noqa: PLC0415 - heavy, and seldom needed
    from charset_normalizer.utils import is_multi_byte_encoding  # noqa: PLC0415 - as above

    matches = from_bytes(sample, cp_exclusion=["utf_7"])
    best = matches.best()
    if best is None:
        return WESTERN
    if is_multi_byte_encoding(best.encoding) or accented_share(sample) > MOST_ACCENTED:
        return best.encoding
    # Latin letters with a few accents look alike in many code pages: the commonest is then the best bet.
    western = any(WESTERN in match.could_be_from_charset for match in matches)
    return WESTERN if western else best.encoding


def accented_share(sample: bytes) -> float:
    """Return the share of bytes beyond ASCII among all that are no space."""
    letters = b"".join(sample.split())
    return sum(byte > 127 for byte in letters) / max(len(letters), 1)
