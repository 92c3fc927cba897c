"""Code by definition: a parser says where each begins and ends; what is too large is opened up.

Cuts are made between rows only, so a parser's rows are all that is needed. Nothing here calls itself,
however deep the code is nested.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tertulia.retrieval.chunking.definitions import LEADING, is_container, is_definition, title_of
from tertulia.retrieval.chunking.domain import MOST, TARGET, ChunkKind
from tertulia.retrieval.chunking.lines import Lines
from tertulia.retrieval.chunking.units import Unit

if TYPE_CHECKING:
    from tree_sitter import Language, Node

#: How many times what is too large is opened, and how many nodes may wrap just one other.
DEEPEST = 24


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


def outline(lines: Lines, language: str, grammar: "Language") -> Iterator[Unit]:
    """Yield definitions and the statements between them; large ones member by member."""
    from tree_sitter import Parser  # noqa: PLC0415 - loaded when the first code is cut

    source = lines.text.encode("utf-8", "replace")
    tree = Parser(grammar).parse(source)
    waiting = [Stretch(tree.root_node, 0, len(lines))]
    after_definition = True
    while waiting:
        stretch = waiting.pop()
        inside = opened(stretch, source) if is_too_large(stretch, lines) else []
        if len(inside) > 1:
            waiting.extend(reversed(inside))
            continue
        defines = is_definition(stretch.node)
        yield unit_of(stretch, language, source, begins=defines or after_definition)
        after_definition = defines


def unit_of(stretch: Stretch, language: str, source: bytes, *, begins: bool) -> Unit:
    """Return a stretch as a unit; a definition stands for itself, statements flow together."""
    title = title_of(stretch.node, source) if stretch.depth else ""
    return Unit(stretch.first, stretch.last, ChunkKind.CODE, language, stretch.path, int(begins), title)


def is_too_large(stretch: Stretch, lines: Lines) -> bool:
    """Return whether a stretch is to be opened: the file always, a class sooner than a function."""
    if stretch.depth >= DEEPEST or stretch.last - stretch.first < 2:
        return False
    cost = lines.cost(stretch.first, stretch.last)
    return not stretch.depth or cost > MOST or (cost > TARGET and is_container(stretch.node))


def opened(stretch: Stretch, source: bytes) -> list[Stretch]:
    """Return what a stretch consists of, in order and without a gap."""
    node, groups = stretch.node, grouped(stretch.node, stretch)
    for _ in range(DEEPEST):
        if len(groups) != 1 or not groups[0].node.child_count:
            break
        node = groups[0].node
        groups = grouped(node, stretch)
    below = path_inside(stretch, source)
    return list(closed_up(groups, stretch, below))


def path_inside(stretch: Stretch, source: bytes) -> tuple[str, ...]:
    """Return the path of what stands inside a stretch."""
    if not stretch.depth or not is_definition(stretch.node):
        return stretch.path
    return (*stretch.path, title_of(stretch.node, source))


def closed_up(groups: list[Stretch], whole: Stretch, below: tuple[str, ...]) -> Iterator[Stretch]:
    """Yield groups so that they cover all rows of the whole; the first holds the title itself."""
    first = whole.first
    for number, group in enumerate(groups):
        last = whole.last if number == len(groups) - 1 else group.last
        path = below if number else whole.path
        yield replace(group, first=first, last=last, path=path, depth=whole.depth + 1)
        first = last


def grouped(node: "Node", within: Stretch) -> list[Stretch]:
    """Return a node's children as stretches of whole rows: those that share a row are one."""
    groups: list[Stretch] = []
    for child in children(node):
        first = max(child.start_point.row, within.first)
        last = min(row_after(child), within.last)
        if groups and belongs(child, first, groups[-1]):
            groups[-1] = extended(groups[-1], child, first, last)
        elif first < last:
            groups.append(Stretch(child, first, last, leading=bool(LEADING.search(child.type))))
    return groups


def belongs(child: "Node", first: int, group: Stretch) -> bool:
    """Return whether a child is part of the group before it: it shares a row, or is what a comment is on."""
    return first < group.last or not child.is_named or (group.leading and first == group.last)


def extended(group: Stretch, child: "Node", first: int, last: int) -> Stretch:
    """Return a group with one more child; it is named after its subject or its largest part."""
    rows = group.node.end_point.row - group.node.start_point.row
    takes_over = child.is_named and (group.leading or last - first - 1 >= max(rows, 1))
    leading = group.leading and bool(LEADING.search(child.type))
    main = child if takes_over else group.node
    return replace(group, node=main, last=max(group.last, last), leading=leading)


def children(node: "Node") -> Iterator["Node"]:
    """Yield a node's children, those of its body in the body's place."""
    body = node.child_by_field_name("body")
    for child in node.children:
        if body is not None and child.id == body.id and body.child_count:
            yield from body.children
        else:
            yield child


def row_after(node: "Node") -> int:
    """Return the row after a node; one that ends with its line feed does not take the next row."""
    end = node.end_point
    return end.row + (1 if end.column or end.row == node.start_point.row else 0)
