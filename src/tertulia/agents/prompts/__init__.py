"""The words that models at work are given, kept as Markdown beside this file."""

from functools import cache
from importlib.resources import files


@cache
def text(name: str) -> str:
    """Return one prompt's text."""
    return (files("tertulia.agents.prompts") / f"{name}.md").read_text("utf-8").strip()
