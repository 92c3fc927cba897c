"""How memories are refused."""

from tertulia.core.errors import Kind, TertuliaError


class EvidenceMissing(TertuliaError):
    """The words that are to be the evidence do not stand in that message of a person."""

    kind = Kind.INVALID
    code = "evidence_missing"

    def __init__(self) -> None:
        super().__init__(
            "A memory has to quote a message of a person, word for word. These words do not stand there."
        )


class MemoryUnfit(TertuliaError):
    """What was asked of a memory does not fit where it stands."""

    kind = Kind.CONFLICT
    code = "memory_unfit"

    def __init__(self, message: str) -> None:
        super().__init__(message)
