"""Comparing text with patterns, whatever its case, the same on every engine.

Left to itself, SQLite ignores the case of ASCII alone and PostgreSQL that of no letter.
"""


def escape_like(text: str) -> str:
    r"""Return a text to stand for itself in LIKE … ESCAPE '\'."""
    return text.replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_")


def fold_case(text: str) -> str:
    """Return a text, or a pattern, in small letters as `like_folded` compares them."""
    # The two letters that Python writes small otherwise than PostgreSQL: a dotted I, and a sigma at an end.
    return text.replace("\u0130", "i").lower().replace("\u03c2", "\u03c3")


def like_folded(column: str, pattern: str) -> str:
    """Return SQL that compares a column in small letters with the bound pattern of this name."""
    return rf"replace(lower({column}), '{chr(0x3C2)}', '{chr(0x3C3)}') LIKE :{pattern} ESCAPE '\'"
