"""Code, by definition where a parser can read it, by blocks where none can."""

from collections.abc import Iterable
from time import thread_time
from typing import TYPE_CHECKING

from tertulia.retrieval.chunking.code_blocks import read_code_blocks
from tertulia.retrieval.chunking.code_outline import ParsedSource, outline_code
from tertulia.retrieval.chunking.languages import load_grammar
from tertulia.retrieval.chunking.measured_lines import MeasuredLines
from tertulia.retrieval.chunking.units import Unit

if TYPE_CHECKING:
    from tree_sitter import Language, Node


#: What no parser can read takes it long, in some languages more than in others.
PARSE_FAILURES_MAX = 4
#: A beginning that has so many more bytes may take so much longer, in computing time: ten times as long as
#: it takes in ordinary code.
PARSE_STEP_BYTES = 1 << 13
PARSE_STEP_MAX_SECONDS = 0.1


class CodeReader:
    """Reads code window by window; a parser that fails at several is not asked again."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.grammar = load_grammar(language)
        self._failures = 0

    def read(self, lines: MeasuredLines) -> Iterable[Unit]:
        """Return definitions and statements, or blocks."""
        if self.grammar is not None:
            source = ParsedSource.of(lines)
            root = parse_code(source.text, self.grammar)
            if root is not None and not is_mostly_unparsed(root):
                return outline_code(root, source, lines, self.language)
            self._failures += 1 if root else PARSE_FAILURES_MAX
            if self._failures >= PARSE_FAILURES_MAX:
                self.grammar = None
        return read_code_blocks(lines, self.language)


def parse_code(text: bytes, grammar: "Language") -> "Node | None":
    """Return the root of a parsed text; None where that takes too long.

    What a parser cannot read takes it time that grows with the square, and nothing else of this process
    runs meanwhile: beginnings of growing length tell it before it has taken long.
    """
    from tree_sitter import Parser

    parser, before = Parser(grammar), 0.0
    for end in range(PARSE_STEP_BYTES, len(text), PARSE_STEP_BYTES):
        began = thread_time()
        parser.parse(text[:end])
        took = thread_time() - began
        if took - before > PARSE_STEP_MAX_SECONDS:
            return None
        before = took
    return parser.parse(text).root_node


def is_mostly_unparsed(root: "Node") -> bool:
    """Return whether a parser made nothing of most of a text."""
    if not root.has_error:
        return False
    if root.is_error:
        return True
    lost = sum(child.end_byte - child.start_byte for child in root.children if child.is_error)
    return lost * 2 > root.end_byte - root.start_byte
