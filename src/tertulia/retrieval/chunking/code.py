"""Code, by definition where a parser can read it, by blocks where none can."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tertulia.retrieval.chunking.blocks import read_blocks
from tertulia.retrieval.chunking.languages import grammar_of
from tertulia.retrieval.chunking.lines import Lines
from tertulia.retrieval.chunking.outline import Source, outline
from tertulia.retrieval.chunking.units import Unit

if TYPE_CHECKING:
    from tree_sitter import Language, Node


class CodeReader:
    """Reads code window by window; once a parser fails at one, the rest is read without it."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.grammar = grammar_of(language)

    def read(self, lines: Lines) -> Iterable[Unit]:
        """Return definitions and statements, or blocks."""
        if self.grammar is not None:
            source = Source.of(lines)
            root = parsed(source.text, self.grammar)
            if not is_broken(root):
                return outline(root, source, lines, self.language)
            self.grammar = None
        return read_blocks(lines, self.language)


def parsed(text: bytes, grammar: "Language") -> "Node":
    """Return the root of a parsed text."""
    from tree_sitter import Parser  # noqa: PLC0415 - loaded when the first code is cut

    return Parser(grammar).parse(text).root_node


def is_broken(root: "Node") -> bool:
    """Return whether a parser made nothing of most of a text."""
    if not root.has_error:
        return False
    if root.is_error:
        return True
    lost = sum(child.end_byte - child.start_byte for child in root.children if child.is_error)
    return lost * 2 > root.end_byte - root.start_byte
