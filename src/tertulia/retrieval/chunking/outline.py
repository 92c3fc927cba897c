"""Code by definition: a parser says where each begins and ends; what is too large is opened up.

Cuts are made between rows only. Rows are found by byte: the parser's own points lose count of their
references and crash (tree-sitter 0.26.0). Nothing here calls itself, however deep the code is nested.
"""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from tertulia.retrieval.chunking.definitions import LEADING, is_container, is_definition, title_of
from tertulia.retrieval.chunking.domain import MOST, TARGET, ChunkKind
from tertulia.retrieval.chunking.lines import Lines
from tertulia.retrieval.chunking.units import Unit

if TYPE_CHECKING:
    from tree_sitter import Node

#: How many times what is too large is opened, and how many nodes may wrap just one other.
DEEPEST = 24


@dataclass(frozen=True, slots=True)
class Source:
    """A text as the parser reads it, and where its rows begin, in bytes."""

    text: bytes
    starts: list[int]

    @classmethod
    def of(cls, lines: Lines) -> "Source":
        """Return a text in UTF-8; halves of characters become question marks."""
        text = lines.text.encode("utf-8", "replace")
        starts = lines.starts if lines.text.isascii() else byte_starts(text)
        return cls(text, starts)

    def first_row(self, node: "Node") -> int:
        """Return the row that a node begins in."""
        return bisect_right(self.starts, node.start_byte) - 1

    def row_after(self, node: "Node") -> int:
        """Return the row after a node; one that ends with its line feed does not take the next row."""
        return bisect_right(self.starts, max(node.end_byte - 1, node.start_byte))


def byte_starts(text: bytes) -> list[int]:
    """Return where the rows of a text begin, in bytes, and where it ends."""
    starts = list(accumulate((len(row) + 1 for row in text.split(b"\n")), initial=0))
    starts[-1] = len(text)
    return starts


@dataclass(frozen=True, slots=True)
class Stretch:
    """Rows `first` up to `last` and the node that they are, for the most part."""

    node: "Node"
    first: int
    last: int
    path: tuple[str, ...] = ()
    depth: int = 0
    #: Only comments and attributes so far: what follows at once belongs to it.
    leading: bool = False


def outline(root: "Node", source: Source, lines: Lines, language: str) -> Iterator[Unit]:
    """Yield definitions and the statements between them; large ones member by member."""
    waiting = [Stretch(root, 0, len(lines))]
    after_definition = True
    while waiting:
        stretch = waiting.pop()
        inside = opened(stretch, source) if is_too_large(stretch, lines) else []
        if len(inside) > 1 or (inside and not stretch.depth):
            waiting.extend(reversed(inside))
            continue
        defines = is_definition(stretch.node)
        large = lines.cost(stretch.first, stretch.last) > MOST
        title = title_of(stretch.node, source.text) if large and stretch.depth else ""
        begins = int(defines or after_definition)
        yield Unit(stretch.first, stretch.last, ChunkKind.CODE, language, stretch.path, begins, title)
        after_definition = defines


def is_too_large(stretch: Stretch, lines: Lines) -> bool:
    """Return whether a stretch is to be opened: the file always, a class sooner than a function."""
    if stretch.depth >= DEEPEST or stretch.last - stretch.first < 2:
        return False
    cost = lines.cost(stretch.first, stretch.last)
    return not stretch.depth or cost > MOST or (cost > TARGET and is_container(stretch.node))


def opened(stretch: Stretch, source: Source) -> list[Stretch]:
    """Return what a stretch consists of, in order and without a gap."""
    groups = grouped(stretch.node, stretch, source)
    for _ in range(DEEPEST):
        if not stretch.depth or len(groups) != 1 or not groups[0].node.child_count:
            break
        groups = grouped(groups[0].node, stretch, source)
    below = path_inside(stretch, source)
    return list(closed_up(groups, stretch, below))


def path_inside(stretch: Stretch, source: Source) -> tuple[str, ...]:
    """Return the path of what stands inside a stretch."""
    if not stretch.depth or not is_definition(stretch.node):
        return stretch.path
    return (*stretch.path, title_of(stretch.node, source.text))


def closed_up(groups: list[Stretch], whole: Stretch, below: tuple[str, ...]) -> Iterator[Stretch]:
    """Yield groups so that they cover all rows of the whole; the first holds the title itself."""
    first = whole.first
    for number, group in enumerate(groups):
        last = whole.last if number == len(groups) - 1 else group.last
        path = below if number else whole.path
        yield Stretch(group.node, first, last, path, whole.depth + 1)
        first = last


def grouped(node: "Node", within: Stretch, source: Source) -> list[Stretch]:
    """Return a node's children as stretches of whole rows: those that share a row are one."""
    groups: list[Stretch] = []
    for child in children(node):
        first = max(source.first_row(child), within.first)
        last = min(source.row_after(child), within.last)
        if groups and belongs(child, first, groups[-1]):
            groups[-1] = extended(groups[-1], child, last)
        elif first < last:
            groups.append(Stretch(child, first, last, leading=bool(LEADING.search(child.type))))
    return groups


def belongs(child: "Node", first: int, group: Stretch) -> bool:
    """Return whether a child is part of the group before it: it shares a row, or is what a comment is on."""
    return first < group.last or not child.is_named or (group.leading and first == group.last)


def extended(group: Stretch, child: "Node", last: int) -> Stretch:
    """Return a group with one more child; it is named after its subject or its largest part."""
    larger = child.end_byte - child.start_byte > group.node.end_byte - group.node.start_byte
    leading = group.leading and bool(LEADING.search(child.type))
    main = child if child.is_named and (group.leading or larger) else group.node
    return Stretch(main, group.first, max(group.last, last), leading=leading)


def children(node: "Node") -> Iterator["Node"]:
    """Yield a node's children, those of its body in the body's place."""
    body = node.child_by_field_name("body")
    for child in node.children:
        if body is not None and child.id == body.id and body.child_count:
            yield from body.children
        else:
            yield child
