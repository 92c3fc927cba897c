"""An iCalendar text as a tree of content lines: nothing in it is understood, and so nothing is lost.

Lines are compared in one spelling: order of parameters, escapes and folding make no difference.
"""

import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

FOLD_PATTERN = re.compile(r"\r?\n[ \t]")
NAME_PATTERN = re.compile(r"[A-Za-z0-9-]+")
FOLD_MAX_BYTES = 75
#: Parameters that say what is so without them.
DEFAULT_PARAMETERS = frozenset({("VALUE", "DATE-TIME"), ("VALUE", "TEXT")})


class NotCalendarText(ValueError):
    """A text is no iCalendar, or only half of one."""


@dataclass(frozen=True, slots=True)
class IcalComponent:
    """A component: its own lines, unfolded, and the components in it."""

    name: str
    lines: tuple[str, ...]
    children: tuple["IcalComponent", ...] = ()

    def lines_named(self, *names: str) -> tuple[str, ...]:
        """Return the lines of some properties, in order."""
        return tuple(line for line in self.lines if property_name(line) in names)

    def value(self, name: str) -> str:
        """Return the value of a property as it is written; empty where there is none."""
        found = self.lines_named(name)
        return found[0].partition(":")[2] if found else ""

    def children_named(self, name: str) -> tuple["IcalComponent", ...]:
        """Return the components of one kind in it."""
        return tuple(child for child in self.children if child.name == name)

    def with_children(self, children: tuple["IcalComponent", ...]) -> "IcalComponent":
        """Return the same with other components in it."""
        return replace(self, children=children)


def parse_calendar(text: str) -> IcalComponent:
    """Return the tree of a text, or raise `NotCalendarText`."""
    open_names, lines, children = [""], [list[str]()], [list[IcalComponent]()]
    for line in FOLD_PATTERN.sub("", text).replace("\r\n", "\n").split("\n"):
        name = property_name(line) if line.strip() else ""
        if name == "BEGIN":
            open_names.append(line.partition(":")[2].strip().upper())
            lines.append([])
            children.append([])
        elif name == "END":
            if len(open_names) == 1 or open_names[-1] != line.partition(":")[2].strip().upper():
                raise NotCalendarText("a component does not end where it should")
            done = IcalComponent(open_names.pop(), tuple(lines.pop()), tuple(children.pop()))
            children[-1].append(done)
        elif name:
            lines[-1].append(line)
    found = children[0]
    if len(open_names) != 1 or lines[0] or len(found) != 1 or found[0].name != "VCALENDAR":
        raise NotCalendarText("the text is not one whole calendar")
    return found[0]


def write_calendar(component: IcalComponent) -> str:
    """Return the text of a tree."""
    return "".join(f"{fold(line)}\r\n" for line in component_lines(component))


def component_lines(component: IcalComponent) -> Iterator[str]:
    """Yield the lines of a component and of all in it."""
    yield f"BEGIN:{component.name}"
    yield from component.lines
    for child in component.children:
        yield from component_lines(child)
    yield f"END:{component.name}"


def fold(line: str) -> str:
    """Return a line broken as iCalendar wants it, between characters."""
    if line.isascii():
        places = range(FOLD_MAX_BYTES, len(line), FOLD_MAX_BYTES - 1)
        later = [line[place : place + FOLD_MAX_BYTES - 1] for place in places]
        return "\r\n ".join([line[:FOLD_MAX_BYTES], *later])
    pieces: list[str] = []
    piece, size = "", 0
    for letter in line:
        width = len(letter.encode())
        if size + width > FOLD_MAX_BYTES:
            pieces.append(piece)
            piece, size = " ", 1
        piece += letter
        size += width
    return "\r\n".join([*pieces, piece])


def property_name(line: str) -> str:
    """Return the name of the property on a line."""
    found = NAME_PATTERN.match(line)
    if found is None:
        raise NotCalendarText("a line has no name")
    return found[0].upper()


@lru_cache(maxsize=4096)
def canonical_line(line: str) -> str:
    """Return a line in the one spelling in which two are compared."""
    contentline: Any = importlib.import_module("icalendar.parser").Contentline
    try:
        name, parameters, value = contentline(line).parts()
    except ValueError:
        return line
    pairs = {(str(key).upper(), str(given)) for key, given in parameters.items()} - DEFAULT_PARAMETERS
    return f"{name.upper()}{sorted(pairs)}{value}"


def canonical_component(
    component: IcalComponent, *, without: frozenset[str] = frozenset()
) -> tuple[object, ...]:
    """Return a component in the one form in which two are compared, leaving out some properties."""
    lines = [canonical_line(line) for line in component.lines if property_name(line) not in without]
    children = [canonical_component(child, without=without) for child in component.children]
    return component.name, tuple(sorted(lines)), tuple(sorted(children, key=repr))


def list_events(calendar: IcalComponent) -> dict[str, IcalComponent]:
    """Return the events of a calendar, by which time of a series each is; the series itself is ''."""
    return {recurrence_key(event): event for event in calendar.children_named("VEVENT")}


def recurrence_key(event: IcalComponent) -> str:
    """Return which time of a series an event stands for; '' for the series, or an event without one."""
    found = event.lines_named("RECURRENCE-ID")
    return canonical_line(found[0]) if found else ""


def uid_of(content: str) -> str:
    """Return the UID of the event in a text; empty where there is no whole event."""
    try:
        events = parse_calendar(content).children_named("VEVENT")
    except NotCalendarText:
        return ""
    return events[0].value("UID").strip() if events else ""
