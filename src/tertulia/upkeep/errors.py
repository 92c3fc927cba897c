"""Why a conversation is not summarised or compressed.

Conflict ── NothingToSummarise, NothingToCompress, NothingToUndo
"""

from tertulia.core.errors import Conflict


class NothingToSummarise(Conflict):
    """Nothing was said yet that a summary could cover."""

    code = "nothing_to_summarise"

    def __init__(self) -> None:
        super().__init__("There is nothing to summarise yet: ask something first, and let it be answered.")


class NothingToCompress(Conflict):
    """All that was said is short, or compressed already."""

    code = "nothing_to_compress"

    def __init__(self) -> None:
        super().__init__("There is nothing to compress: the last rounds are always shown word for word.")


class NothingToUndo(Conflict):
    """No compression is in force."""

    code = "nothing_to_undo"

    def __init__(self) -> None:
        super().__init__("This conversation is not compressed.")
