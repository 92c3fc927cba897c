"""Points of a summary as chunks: those of a round together, each whole."""

from tertulia.retrieval.chunking.domain import CHUNK_TARGET_TOKENS, ChunkKind
from tertulia.retrieval.chunking.point_chunks import chunk_points


def test_the_points_of_a_round_are_one_chunk() -> None:
    text = "The boat is blue.\nThe boat is fast.\n\nThe boat is sold."
    chunks = list(chunk_points(text))
    assert [chunk.content for chunk in chunks] == [
        "The boat is blue.\nThe boat is fast.",
        "The boat is sold.",
    ]
    assert [text[chunk.start_char : chunk.end_char] for chunk in chunks] == [
        chunk.content for chunk in chunks
    ]
    assert [(chunk.index, chunk.start_line, chunk.end_line) for chunk in chunks] == [(0, 1, 2), (1, 4, 4)]
    assert {chunk.kind for chunk in chunks} == {ChunkKind.PROSE}
    assert {chunk.summary for chunk in chunks} == {""}


def test_many_points_of_one_round_are_cut_between_points() -> None:
    points = [f"Berth {number} has water, light, a bollard and a ladder of steel." for number in range(40)]
    chunks = list(chunk_points("\n".join(points)))
    assert len(chunks) > 2
    assert [line for chunk in chunks for line in chunk.content.splitlines()] == points
    assert all(chunk.tokens <= CHUNK_TARGET_TOKENS for chunk in chunks)


def test_nothing_is_no_chunk() -> None:
    assert list(chunk_points("")) == []
    assert list(chunk_points(" \n\n")) == []
