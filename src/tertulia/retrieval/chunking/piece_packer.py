"""From units to pieces: small neighbours are gathered, large units cut, sections kept apart."""

from collections.abc import Iterable, Iterator

from tertulia.retrieval.chunking.domain import (
    CHUNK_MAX_TOKENS,
    CHUNK_TARGET_TOKENS,
    PROSE_CHUNK_STRETCH_TOKENS,
    TINY_CHUNK_MAX_TOKENS,
)
from tertulia.retrieval.chunking.measured_lines import MeasuredLines
from tertulia.retrieval.chunking.unit_splitter import split_unit, whole_unit_max_tokens
from tertulia.retrieval.chunking.units import ChunkPiece, Unit, merge_pieces


def pack_units(units: Iterable[Unit], lines: MeasuredLines, *, can_mix_kinds: bool) -> list[ChunkPiece]:
    """Return units as pieces of a good size; `can_mix_kinds` lets prose, code and tables stand in one."""
    gathered: list[ChunkPiece] = []
    for section in split_sections(units):
        for piece in pack_section(section, lines, can_mix_kinds=can_mix_kinds):
            if gathered and can_join_sections(gathered[-1], piece, can_mix_kinds=can_mix_kinds):
                gathered[-1] = merge_pieces(gathered[-1], piece)
            else:
                gathered.append(piece)
    return gathered


def split_sections(units: Iterable[Unit]) -> Iterator[list[Unit]]:
    """Yield units in runs that begin where a section does."""
    run: list[Unit] = []
    for unit in units:
        if unit.level and run:
            yield run
            run = []
        run.append(unit)
    if run:
        yield run


def pack_section(section: list[Unit], lines: MeasuredLines, *, can_mix_kinds: bool) -> list[ChunkPiece]:
    """Return one section's pieces: units are gathered while they fit."""
    pieces: list[ChunkPiece] = []
    for unit in section:
        for piece in to_pieces(unit, lines):
            if pieces and can_join(pieces[-1], piece, can_mix_kinds=can_mix_kinds):
                pieces[-1] = merge_pieces(pieces[-1], piece)
            else:
                pieces.append(piece)
    return pieces


def to_pieces(unit: Unit, lines: MeasuredLines) -> Iterator[ChunkPiece]:
    """Yield a unit whole when it may be, in parts when it is too large."""
    cost = lines.estimate_tokens(unit.first, unit.last)
    if cost > whole_unit_max_tokens(unit.kind, PROSE_CHUNK_STRETCH_TOKENS):
        yield from split_unit(unit, lines)
        return
    start, end = lines.starts[unit.first], lines.starts[unit.last]
    yield ChunkPiece(start, end, cost, unit.kind, unit.language, unit.path, unit.level)


def can_join(first: ChunkPiece, second: ChunkPiece, *, can_mix_kinds: bool) -> bool:
    """Return whether two pieces of a section make one chunk: they fit, or a tiny one opens or ends it."""
    together = first.estimated_tokens + second.estimated_tokens
    if together > CHUNK_MAX_TOKENS or not (can_mix_kinds or is_same_kind(first, second)):
        return False
    opens = first.estimated_tokens <= TINY_CHUNK_MAX_TOKENS and together <= whole_unit_max_tokens(
        second.kind, PROSE_CHUNK_STRETCH_TOKENS
    )
    ends = (
        second.estimated_tokens <= TINY_CHUNK_MAX_TOKENS
        and first.estimated_tokens <= CHUNK_TARGET_TOKENS
        and together <= PROSE_CHUNK_STRETCH_TOKENS
    )
    return together <= CHUNK_TARGET_TOKENS or opens or ends


def can_join_sections(first: ChunkPiece, second: ChunkPiece, *, can_mix_kinds: bool) -> bool:
    """Return whether a chunk may go on over the beginning of a section: a deeper one, or a tiny one."""
    if first.estimated_tokens + second.estimated_tokens > CHUNK_TARGET_TOKENS or not (
        can_mix_kinds or is_same_kind(first, second)
    ):
        return False
    if (
        second.level > first.level > 0
        or max(first.estimated_tokens, second.estimated_tokens) <= TINY_CHUNK_MAX_TOKENS
    ):
        return True
    # A larger piece would lose a key that only its context holds.
    return (
        min(first.estimated_tokens, second.estimated_tokens) <= TINY_CHUNK_MAX_TOKENS
        and second.path[: len(first.path)] == first.path
    )


def is_same_kind(first: ChunkPiece, second: ChunkPiece) -> bool:
    """Return whether two pieces are of the same kind and language."""
    return first.kind is second.kind and first.language == second.language
