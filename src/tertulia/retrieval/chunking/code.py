"""Code, by definition where a parser can read it, by blocks where none can."""

from collections.abc import Iterable
from time import thread_time
from typing import TYPE_CHECKING

from tertulia.retrieval.chunking.blocks import read_blocks
from tertulia.retrieval.chunking.languages import grammar_of
from tertulia.retrieval.chunking.lines import Lines
from tertulia.retrieval.chunking.outline import Source, outline
from tertulia.retrieval.chunking.units import Unit

if TYPE_CHECKING:
    from tree_sitter import Language, Node


#: What no parser can read takes it long, in some languages more than in others.
MOST_FAILURES = 4
#: A beginning that has so many more bytes may take so much longer, in computing time: ten times as long as
#: it takes in ordinary code.
STEP = 1 << 13
PATIENCE = 0.1


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
            if root is not None and not is_broken(root):
                return outline(root, source, lines, self.language)
            self._failures += 1 if root else MOST_FAILURES
            if self._failures >= MOST_FAILURES:
                self.grammar = None
        return read_blocks(lines, self.language)


def parsed(text: bytes, grammar: "Language") -> "Node | None":
    """Return the root of a parsed text; None where that takes too long.

    What a parser cannot read takes it time that grows with the square, and nothing else of this process
    runs meanwhile: beginnings of growing length tell it before it has taken long.
    """
    from tree_sitter import Parser  # noqa: PLC0415 - loaded when the first code is cut

    parser, before = Parser(grammar), 0.0
    for end in range(STEP, len(text), STEP):
        began = thread_time()
        parser.parse(text[:end])
        took = thread_time() - began
        if took - before > PATIENCE:
            return None
        before = took
    return parser.parse(text).root_node


def is_broken(root: "Node") -> bool:
    """Return whether a parser made nothing of most of a text."""
    if not root.has_error:
        return False
    if root.is_error:
        return True
    lost = sum(child.end_byte - child.start_byte for child in root.children if child.is_error)
    return lost * 2 > root.end_byte - root.start_byte
