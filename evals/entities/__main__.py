"""`python -m evals.entities`: find what labelled talk mentions, and print the shares by type and half."""

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from importlib.resources import files
from itertools import pairwise
from time import thread_time

from rich.console import Console
from rich.table import Table

from tertulia.entities.domain import EntityMention, EntityType
from tertulia.entities.finder import find_entities

SAID_ON = date(2026, 11, 18)
LABELLED_SETS = ("dialogues", "messages", "requests")
LABEL_PATTERN = re.compile(
    r"\[\[(?P<type>\w+)\|(?P<value>[^|\]~]+)(?:~(?P<others>[^|\]]+))?(?:\|(?P<normal>[^\]]+))?\]\]"
)
#: The share of mentions to be found with their exact span, on each half.
RECALL_FLOORS = {EntityType.PHONE: 1.0, EntityType.ADDRESS: 0.92, EntityType.DATE: 0.97}
#: The sets of single messages label no other types throughout.
MEASURED_TYPES = {
    "dialogues": tuple(EntityType),
    "messages": tuple(RECALL_FLOORS),
    "requests": tuple(RECALL_FLOORS),
}
#: So long may the finder take for one message.
MESSAGE_MAX_MS = 20


@dataclass(frozen=True, slots=True)
class LabelledMention:
    """A mention as it should be found: its spans that count, and what it means if that is sure."""

    type: EntityType
    spans: frozenset[tuple[int, int]]
    normal: str
    text: str

    @property
    def widest(self) -> tuple[int, int]:
        """The widest of its spans."""
        return max(self.spans, key=lambda span: span[1] - span[0])


@dataclass(frozen=True, slots=True)
class LabelledTurn:
    """One turn of a dialogue, without its marks."""

    text: str
    mentions: tuple[LabelledMention, ...]
    is_held_out: bool


@dataclass(slots=True)
class Tally:
    """How many mentions were found in which way, and what was found where nothing was labelled."""

    verdicts: Counter[tuple[EntityType, bool, str]] = field(default_factory=Counter)
    extra: Counter[tuple[EntityType, bool]] = field(default_factory=Counter)
    slowest_ms: float = 0


def read_turns(text: str) -> Iterator[LabelledTurn]:
    """Yield the turns of all groups; every second group is held out."""
    group = -1
    for line in text.splitlines():
        group += line.startswith("## ")
        if line and not line.startswith("#"):
            yield read_turn(line, is_held_out=group % 2 == 1)


def read_turn(line: str, *, is_held_out: bool) -> LabelledTurn:
    """Return a turn without its marks, and where its mentions stand."""
    plain, place, mentions = "", 0, list[LabelledMention]()
    for label in LABEL_PATTERN.finditer(line):
        plain += line[place : label.start()]
        start, value = len(plain), label["value"]
        others = filter(None, (label["others"] or "").split("~"))
        spans = {bare_span(start + value.index(span), span) for span in (value, *others)}
        type_ = EntityType(label["type"])
        mentions.append(LabelledMention(type_, frozenset(spans), label["normal"] or "", value))
        plain, place = plain + value, label.end()
    return LabelledTurn(plain + line[place:], tuple(mentions), is_held_out)


def judge(mention: LabelledMention, turn: LabelledTurn, found: Sequence[EntityMention]) -> str:
    """Return how a mention was found: exact, with another meaning, in another span, or not."""
    same = [seen for seen in found if seen.type is mention.type]
    exact = [seen for seen in same if bare_span(seen.start_char, seen.value) in mention.spans]
    if exact:
        return "exact" if means(exact[0].normal, mention.normal) else "meaning"
    if joined := find_joined(mention, turn, same):
        return "exact" if means_jointly(joined.normal, mention.normal) else "meaning"
    return "span" if any(overlaps(seen, mention) for seen in same) else "missed"


def find_joined(
    mention: LabelledMention, turn: LabelledTurn, found: Sequence[EntityMention]
) -> EntityMention | None:
    """Return the find that is a day and a time side by side: sets differ on whether these are one."""
    days = [other for other in turn.mentions if other.type is mention.type is EntityType.DATE]
    for first, second in pairwise(days):
        spans = {(start, end) for start, _ in first.spans for _, end in second.spans}
        for seen in found:
            if mention in (first, second) and bare_span(seen.start_char, seen.value) in spans:
                return seen
    return None


def bare_span(start: int, value: str) -> tuple[int, int]:
    """Return where words stand without an article before them: people differ on whether it belongs there."""
    return start + (len("the ") if value.casefold().startswith("the ") else 0), start + len(value)


def means(normal: str, labelled: str) -> bool:
    """Tell whether a normal form is the labelled one; a labelled day is right with any time of it."""
    return not labelled or normal == labelled or normal.startswith(f"{labelled}T")


def means_jointly(normal: str, labelled: str) -> bool:
    """Tell whether a day with its time has the labelled day or time, or a range of days either of them."""
    return means(normal, labelled) or labelled in normal.split("/") or normal.endswith(labelled)


def overlaps(seen: EntityMention, mention: LabelledMention) -> bool:
    """Tell whether a find and a label share a place."""
    start, end = mention.widest
    return seen.start_char < end and start < seen.end_char


def measure(name: str, console: Console, *, wants_misses: bool) -> Tally:
    """Return how the mentions of a labelled set were found, printing the misses where they are wanted."""
    tally = Tally()
    for turn in read_turns((files("evals.entities") / f"{name}.txt").read_text("utf-8")):
        began = thread_time()
        found = find_entities(turn.text, said_on=SAID_ON, zone="UTC")
        tally.slowest_ms = max(tally.slowest_ms, (thread_time() - began) * 1000)
        measured = replace(
            turn, mentions=tuple(label for label in turn.mentions if label.type in MEASURED_TYPES[name])
        )
        found = [seen for seen in found if seen.type in MEASURED_TYPES[name]]
        for miss in count_turn(tally, measured, found):
            if wants_misses:
                half = "held out" if turn.is_held_out else "tuned"
                console.print(f"{half}, {miss} in “{turn.text}”", markup=False, soft_wrap=True)
    return tally


def count_turn(tally: Tally, turn: LabelledTurn, found: Sequence[EntityMention]) -> Iterator[str]:
    """Count how the mentions of a turn were found, and yield what was found otherwise than labelled."""
    for mention in turn.mentions:
        verdict = judge(mention, turn, found)
        tally.verdicts[mention.type, turn.is_held_out, verdict] += 1
        if verdict != "exact":
            seen = [(seen.value, seen.normal) for seen in found if seen.type is mention.type]
            yield f"{verdict}: {mention.type} “{mention.text}” {mention.normal}, found {seen}"
    for seen in found:
        if not any(overlaps(seen, mention) and mention.type is seen.type for mention in turn.mentions):
            tally.extra[seen.type, turn.is_held_out] += 1
            yield f"extra: {seen.type} “{seen.value}”"


def print_table(console: Console, name: str, tally: Tally) -> bool:
    """Print the shares that were found by type and half, and tell whether all floors are reached."""
    table = Table("type", "half", "labelled", "exact span", "any overlap", "right meaning", "precision")
    reached = tally.slowest_ms <= MESSAGE_MAX_MS
    for type_ in MEASURED_TYPES[name]:
        for held in (False, True):
            counts = {
                verdict: tally.verdicts[type_, held, verdict]
                for verdict in ("exact", "meaning", "span", "missed")
            }
            total = sum(counts.values())
            exact, found = counts["exact"] + counts["meaning"], total - counts["missed"]
            reached &= share(exact, total) >= RECALL_FLOORS.get(type_, 0)
            table.add_row(
                type_,
                "held out" if held else "tuned",
                str(total),
                f"{share(exact, total):.3f}",
                f"{share(found, total):.3f}",
                f"{share(counts['exact'], exact):.3f}",
                f"{share(found, found + tally.extra[type_, held]):.3f}",
            )
    console.print(f"{name}: the slowest message took {tally.slowest_ms:.1f} ms")
    console.print(table)
    return reached


def share(part: int, whole: int) -> float:
    """Return a part of a whole; all of it where there is nothing."""
    return part / whole if whole else 1.0


def main() -> int:
    """Measure, print, and fail where a floor is not reached."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=LABELLED_SETS, help="of: " + ", ".join(LABELLED_SETS))
    parser.add_argument("--misses", action="store_true", help="print what was not found as labelled")
    options = parser.parse_args()
    console = Console()
    tallies = {name: measure(name, console, wants_misses=options.misses) for name in options.sets}
    reached = [print_table(console, name, tally) for name, tally in tallies.items()]
    console.print("All floors are reached." if all(reached) else "A floor is not reached.")
    return int(not all(reached))


if __name__ == "__main__":
    sys.exit(main())
