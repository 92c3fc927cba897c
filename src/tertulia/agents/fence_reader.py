"""Finding the blocks in which a model calls tools, in text that arrives in pieces cut anywhere."""

import re
from dataclasses import dataclass

from tertulia.core.untrusted_json import JsonUnreadable, read_json

TOOL_FENCE_OPENING = re.compile(r" {0,3}```tool(?=[\s{])")
#: What may yet become an opening.
PARTIAL_TOOL_FENCE_OPENING = re.compile(r" {0,3}(`(`(`(t(o(o(l)?)?)?)?)?)?)?")
TOOL_FENCE_END = "```"


@dataclass(frozen=True, slots=True)
class ToolBlock:
    """What stands in a block, between its fences."""

    body: str


class FenceReader:
    """Tells text and blocks apart; however the text is cut, what comes out is the same."""

    def __init__(self) -> None:
        self._held = ""
        self._is_inside = False
        #: The beginning of this line was told already, so that no block opens in it.
        self._is_mid_line = False
        #: No fence before this place of what is held ends the block: each is looked at once.
        self._passed = 0

    def feed(self, text: str) -> list[str | ToolBlock]:
        """Take in a piece, and return the text and blocks that are certain by now."""
        self._held += text
        found: list[str | ToolBlock] = []
        while (next_ := self._next()) is not None:
            if next_ != "":
                found.append(next_)
        return found

    def finish(self) -> list[str | ToolBlock]:
        """Return what was still held back; a block that was never closed ends here."""
        held, self._held = self._held, ""
        if self._is_inside:
            return [ToolBlock(held)]
        return [held] if held else []

    def _next(self) -> str | ToolBlock | None:
        """Return the next thing that is certain, empty where a block opens; None when nothing is."""
        if self._is_inside:
            return self._close()
        if not self._held:
            return None
        if not self._is_mid_line:
            if opening := TOOL_FENCE_OPENING.match(self._held):
                self._held, self._is_inside = self._held[opening.end() :], True
                return ""
            if PARTIAL_TOOL_FENCE_OPENING.fullmatch(self._held):
                return None
        line, newline, self._held = self._held.partition("\n")
        self._is_mid_line = not newline
        return line + newline

    def _close(self) -> ToolBlock | None:
        """Return the block once its end is there: a fence that begins a line, or follows a whole value."""
        while (place := self._held.find(TOOL_FENCE_END, self._passed)) >= 0:
            body, self._passed = self._held[:place], place + len(TOOL_FENCE_END)
            if begins_line(body) or is_json(body):
                self._held, self._passed = self._held[self._passed :], 0
                self._is_inside, self._is_mid_line = False, False
                return ToolBlock(body)
        self._passed = max(self._passed, len(self._held) + 1 - len(TOOL_FENCE_END))
        return None


def begins_line(before: str) -> bool:
    """Tell whether what comes after this begins a line: inside of JSON no text does."""
    _, newline, line = before.rpartition("\n")
    return bool(newline) and not line.strip()


def is_json(body: str) -> bool:
    """Tell whether a body is whole."""
    try:
        read_json(body)
    except JsonUnreadable:
        return False
    return True
