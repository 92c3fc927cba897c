"""Tables that say words of dates in plain English: `übermorgen` is the day after tomorrow."""

from collections.abc import Mapping

#: Words that follow each other, in small letters, and what they are in plain English.
WordTable = Mapping[tuple[str, ...], str]


def read_table(text: str) -> dict[tuple[str, ...], str]:
    """Return a table of lines: what is said, several ways apart by `|`, and after `=` what it means."""
    table: dict[tuple[str, ...], str] = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        said, _, plain = line.partition("=")
        for way in said.split("|"):
            table[tuple(way.split())] = plain.strip()
    return table


def number_table(words: str, *, first: int = 1, ending: str = "") -> dict[tuple[str, ...], str]:
    """Return a table of numbers in their order, several words for one apart by `|`."""
    return {
        (word,): f"{number}{ending}"
        for number, group in enumerate(words.split(), first)
        for word in group.split("|")
    }
