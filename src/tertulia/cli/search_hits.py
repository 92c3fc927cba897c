"""How hits of a search look in a terminal."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tertulia.cli.output import strip_control_characters
from tertulia.core.json_object import JsonObject

if TYPE_CHECKING:
    from rich.console import Group

SNIPPET_LINES = 4
HIT_LINE_MAX_CHARS = 200
#: What is found without any place but the day on which it was written down.
DATED_KINDS = ("memory", "task")
QUERY_WORD_PATTERN = re.compile(r"\w{3,}")


def hit_location(hit: JsonObject) -> str:
    """Return where a hit stands: a file's lines, a round of a conversation or of its summary, or a day."""
    place = hit["location"]
    if hit["kind"] == "file":
        page = f", {place['page']}" if place["page"] else ""
        return f"{place['path']}:{place['start_line']}-{place['end_line']}{page}"
    if hit["kind"] in DATED_KINDS:
        return f"{hit['kind']} of {str(place['said_at'])[:10]}"
    title = place["title"] or place["conversation_id"]
    speaker = str(place["speaker"]).removeprefix("agent:")
    return f"{title}, round {place['round_number']}, {speaker}, {str(place['said_at'])[:10]}"


def snippet(content: str, query: str) -> tuple[int, list[str]]:
    """Return a few lines around the one that speaks most of what is asked, and the number of the first."""
    lines = content.splitlines() or [""]
    asked = {word.lower() for word in QUERY_WORD_PATTERN.findall(query)}
    best = max(range(len(lines)), key=lambda number: (count_query_words(lines[number], asked), -number))
    first = max(0, min(best - 1, len(lines) - SNIPPET_LINES))
    return first, lines[first : first + SNIPPET_LINES]


def count_query_words(line: str, asked: set[str]) -> int:
    """Return how many of the words that are asked for stand in a line."""
    there = line.lower()
    return sum(word in there for word in asked)


def score_reasons(hit: JsonObject) -> list[str]:
    """Return what speaks for a hit, the strongest reason first; what adds nothing is left out."""
    return [
        f"{reason['signal']}: {reason['value']:.2f} * {reason['weight']:.2f} = {reason['adds']:.3f}"
        for reason in hit["why"]
        if reason["adds"]
    ]


def hit_line(hit: JsonObject, query: str) -> str:
    """Return a hit as one line, with tabs between its parts."""
    _, lines = snippet(hit["content"], query)
    text = " ".join(" ".join(lines).split())[:HIT_LINE_MAX_CHARS]
    weak = ["weak match"] if hit.get("is_weak") else []
    return strip_control_characters("\t".join((hit_location(hit), f"{hit['score']:.3f}", text, *weak)))


def draw_hit(hit: JsonObject, query: str, *, number: int, why: bool) -> "Group":
    """Return a hit as it is drawn: its place, a few of its lines and, if wanted, the reasons."""
    from rich.console import Group
    from rich.padding import Padding
    from rich.text import Text

    head = Text.assemble((f"{number}. ", "bold"))
    head.append(strip_control_characters(hit_location(hit)), style="bold cyan")
    head.append(f"  {hit['score']:.3f}{'  weak match' if hit.get('is_weak') else ''}", style="dim")
    heading = strip_control_characters(str(hit["location"].get("heading") or ""))
    parts: list[Any] = [head, *([Text(f"   {heading}", style="dim italic")] if heading else [])]
    parts += [Padding(line, (0, 0, 0, 3)) for line in snippet_lines(hit, query)]
    if why:
        parts += [Text(f"   {reason}", style="dim") for reason in score_reasons(hit)]
    return Group(*parts, Text(""))


def snippet_lines(hit: JsonObject, query: str) -> Sequence[Any]:
    """Return a hit's lines, those of files after their numbers, with the words that were asked for."""
    from rich.text import Text

    first, lines = snippet(hit["content"], query)
    start = hit["location"].get("start_line")
    asked = "|".join(re.escape(word) for word in QUERY_WORD_PATTERN.findall(query))
    shown: list[Text] = []
    for number, line in enumerate(lines, first):
        text = Text(strip_control_characters(line)[:HIT_LINE_MAX_CHARS])
        if asked:
            text.highlight_regex(re.compile(rf"\b(?:{asked})", re.IGNORECASE), "bold yellow")
        whole = Text(no_wrap=True, overflow="ellipsis")
        if start:
            whole.append(f"{start + number:>5}  ", style="dim")
        shown.append(whole.append_text(text))
    return shown
