"""Text as LIKE takes it."""


def escape_like(text: str) -> str:
    r"""Return a text to stand for itself in LIKE … ESCAPE '\'."""
    return text.replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_")
