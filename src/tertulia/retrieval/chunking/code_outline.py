"""Code by definition: a parser says where each begins and ends; what is too large is opened up.

Cuts are made between rows only. Rows are found by byte: the parser's own points lose count of their
references and crash (tree-sitter 0.26.0). Nothing here calls itself, however deep the code is nested.
"""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from tertulia.retrieval.chunking.definitions import (
    LEADING_NODE_PATTERN,
    definition_title,
    is_container,
    is_definition,
)
from tertulia.retrieval.chunking.domain import CHUNK_MAX_TOKENS, CHUNK_TARGET_TOKENS, ChunkKind
from tertulia.retrieval.chunking.measured_lines import MeasuredLines
from tertulia.retrieval.chunking.units import Unit

if TYPE_CHECKING:
    from tree_sitter import Node

#: How many times what is too large is opened, and how many nodes may wrap just one other.
CODE_OUTLINE_DEPTH_MAX = 24


@dataclass(frozen=True, slots=True)
class ParsedSource:
    """A text as the parser reads it, and where its rows begin, in bytes."""

    text: bytes
    starts: list[int]

    @classmethod
    def of(cls, lines: MeasuredLines) -> "ParsedSource":
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
class NodeSpan:
    """Rows `first` up to `last` and the node that they are, for the most part."""

    node: "Node"
    first: int
    last: int
    path: tuple[str, ...] = ()
    depth: int = 0
    #: Only comments and attributes so far: what follows at once belongs to it.
    is_leading: bool = False


def outline_code(root: "Node", source: ParsedSource, lines: MeasuredLines, language: str) -> Iterator[Unit]:
    """Yield definitions and the statements between them; large ones member by member."""
    waiting = [NodeSpan(root, 0, len(lines))]
    after_definition = True
    while waiting:
        stretch = waiting.pop()
        inside = open_span(stretch, source) if is_too_large(stretch, lines) else []
        if len(inside) > 1 or (inside and not stretch.depth):
            waiting.extend(reversed(inside))
            continue
        defines = is_definition(stretch.node)
        large = lines.estimate_tokens(stretch.first, stretch.last) > CHUNK_MAX_TOKENS
        title = definition_title(stretch.node, source.text) if large and stretch.depth else ""
        begins = int(defines or after_definition)
        yield Unit(stretch.first, stretch.last, ChunkKind.CODE, language, stretch.path, begins, title)
        after_definition = defines


def is_too_large(stretch: NodeSpan, lines: MeasuredLines) -> bool:
    """Return whether a stretch is to be opened: the file always, a class sooner than a function."""
    if stretch.depth >= CODE_OUTLINE_DEPTH_MAX or stretch.last - stretch.first < 2:
        return False
    cost = lines.estimate_tokens(stretch.first, stretch.last)
    return (
        not stretch.depth
        or cost > CHUNK_MAX_TOKENS
        or (cost > CHUNK_TARGET_TOKENS and is_container(stretch.node))
    )


def open_span(stretch: NodeSpan, source: ParsedSource) -> list[NodeSpan]:
    """Return what a stretch consists of, in order and without a gap."""
    groups = group_children(stretch.node, stretch, source)
    for _ in range(CODE_OUTLINE_DEPTH_MAX):
        if not stretch.depth or len(groups) != 1 or not groups[0].node.child_count:
            break
        groups = group_children(groups[0].node, stretch, source)
    below = path_inside(stretch, source)
    return list(cover_rows(groups, stretch, below))


def path_inside(stretch: NodeSpan, source: ParsedSource) -> tuple[str, ...]:
    """Return the path of what stands inside a stretch."""
    if not stretch.depth or not is_definition(stretch.node):
        return stretch.path
    return (*stretch.path, definition_title(stretch.node, source.text))


def cover_rows(groups: list[NodeSpan], whole: NodeSpan, below: tuple[str, ...]) -> Iterator[NodeSpan]:
    """Yield groups so that they cover all rows of the whole; the first holds the title itself."""
    first = whole.first
    for number, group in enumerate(groups):
        last = whole.last if number == len(groups) - 1 else group.last
        path = below if number else whole.path
        yield NodeSpan(group.node, first, last, path, whole.depth + 1)
        first = last


def group_children(node: "Node", within: NodeSpan, source: ParsedSource) -> list[NodeSpan]:
    """Return a node's children as stretches of whole rows: those that share a row are one."""
    groups: list[NodeSpan] = []
    for child in iterate_children(node):
        first = max(source.first_row(child), within.first)
        last = min(source.row_after(child), within.last)
        if groups and belongs_to_group(child, first, groups[-1]):
            groups[-1] = extend_group(groups[-1], child, last)
        elif first < last:
            groups.append(
                NodeSpan(child, first, last, is_leading=bool(LEADING_NODE_PATTERN.search(child.type)))
            )
    return groups


def belongs_to_group(child: "Node", first: int, group: NodeSpan) -> bool:
    """Return whether a child is part of the group before it: it shares a row, or is what a comment is on."""
    return first < group.last or not child.is_named or (group.is_leading and first == group.last)


def extend_group(group: NodeSpan, child: "Node", last: int) -> NodeSpan:
    """Return a group with one more child; it is named after its subject or its largest part."""
    larger = child.end_byte - child.start_byte > group.node.end_byte - group.node.start_byte
    leading = group.is_leading and bool(LEADING_NODE_PATTERN.search(child.type))
    main = child if child.is_named and (group.is_leading or larger) else group.node
    return NodeSpan(main, group.first, max(group.last, last), is_leading=leading)


def iterate_children(node: "Node") -> Iterator["Node"]:
    """Yield a node's children, those of its body in the body's place."""
    body = node.child_by_field_name("body")
    for child in node.children:
        if body is not None and child.id == body.id and body.child_count:
            yield from body.children
        else:
            yield child
