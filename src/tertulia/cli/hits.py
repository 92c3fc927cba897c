"""How hits of a search look in a terminal."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tertulia.cli.output import harmless

if TYPE_CHECKING:
    from rich.console import Group

SHOWN_LINES = 4
LONGEST_LINE = 200
WORD = re.compile(r"\w{3,}")


def place_of(hit: dict[str, Any]) -> str:
    """Return where a hit stands: a file's lines, or a round of a conversation."""
    place = hit["location"]
    if hit["kind"] == "file":
        return f"{place['path']}:{place['start_line']}-{place['end_line']}"
    title = place["title"] or place["conversation_id"]
    speaker = str(place["speaker"]).removeprefix("agent:")
    return f"{title}, round {place['round_number']}, {speaker}, {str(place['said_at'])[:10]}"


def snippet(content: str, query: str) -> tuple[int, list[str]]:
    """Return a few lines around the one that speaks most of what is asked, and the number of the first."""
    lines = content.splitlines() or [""]
    asked = {word.lower() for word in WORD.findall(query)}
    best = max(range(len(lines)), key=lambda number: (met(lines[number], asked), -number))
    first = max(0, min(best - 1, len(lines) - SHOWN_LINES))
    return first, lines[first : first + SHOWN_LINES]


def met(line: str, asked: set[str]) -> int:
    """Return how many of the words that are asked for stand in a line."""
    there = line.lower()
    return sum(word in there for word in asked)


def reasons_of(hit: dict[str, Any]) -> list[str]:
    """Return what speaks for a hit, the strongest reason first; what adds nothing is left out."""
    return [
        f"{one['signal']}: {one['value']:.2f} * {one['weight']:.2f} = {one['adds']:.3f}"
        for one in hit["why"]
        if one["adds"]
    ]


def line_of(hit: dict[str, Any], query: str) -> str:
    """Return a hit as one line, with tabs between its parts."""
    _, lines = snippet(hit["content"], query)
    text = " ".join(" ".join(lines).split())[:LONGEST_LINE]
    return harmless("\t".join((place_of(hit), f"{hit['score']:.3f}", text)))


def drawn(hit: dict[str, Any], query: str, *, number: int, why: bool) -> "Group":
    """Return a hit as it is drawn: its place, a few of its lines and, if wanted, the reasons."""
    from rich.console import Group  # noqa: PLC0415 - only where something is drawn
    from rich.padding import Padding  # noqa: PLC0415 - see above
    from rich.text import Text  # noqa: PLC0415 - see above

    head = Text.assemble((f"{number}. ", "bold"))
    head.append(harmless(place_of(hit)), style="bold cyan")
    head.append(f"  {hit['score']:.3f}", style="dim")
    heading = harmless(str(hit["location"].get("heading") or ""))
    parts: list[Any] = [head, *([Text(f"   {heading}", style="dim italic")] if heading else [])]
    parts += [Padding(line, (0, 0, 0, 3)) for line in body_of(hit, query)]
    if why:
        parts += [Text(f"   {reason}", style="dim") for reason in reasons_of(hit)]
    return Group(*parts, Text(""))


def body_of(hit: dict[str, Any], query: str) -> Sequence[Any]:
    """Return a hit's lines, those of files after their numbers, with the words that were asked for."""
    from rich.text import Text  # noqa: PLC0415 - only where something is drawn

    first, lines = snippet(hit["content"], query)
    start = hit["location"].get("start_line")
    asked = "|".join(re.escape(word) for word in WORD.findall(query))
    shown: list[Text] = []
    for number, line in enumerate(lines, first):
        text = Text(harmless(line)[:LONGEST_LINE])
        if asked:
            text.highlight_regex(re.compile(rf"\b(?:{asked})", re.IGNORECASE), "bold yellow")
        whole = Text(no_wrap=True, overflow="ellipsis")
        if start:
            whole.append(f"{start + number:>5}  ", style="dim")
        shown.append(whole.append_text(text))
    return shown
