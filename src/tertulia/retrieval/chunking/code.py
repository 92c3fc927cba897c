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


#: What no parser can read takes it long: a second for each window, and more in some languages.
MOST_FAILURES = 4


class CodeReader:
    """Reads code window by window; a parser that fails at several is not asked again."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.grammar = grammar_of(language)
        self._failures = 0

    def read(self, lines: Lines) -> Iterable[Unit]:
        """Return definitions and statements, or blocks."""
        if self.grammar is not None:
            source = Source.of(lines)
            root = parsed(source.text, self.grammar)
            if not is_broken(root):
                return outline(root, source, lines, self.language)
            self._failures += 1
            if self._failures >= MOST_FAILURES:
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
