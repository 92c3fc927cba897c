"""A bank finds what a look at every vector finds, within memory that does not grow with the searches."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tertulia.retrieval.sqlite.banks import Bank
from tertulia.retrieval.vector_index import VectorRow
from tertulia.retrieval.vectors import dequantise_vectors, quantise_vector

pytestmark = pytest.mark.sqlite

SMALL = 400
DIMENSIONS = 96


def drawn(seed: int, count: int, dimensions: int = DIMENSIONS) -> NDArray[np.float32]:
    rng = np.random.default_rng(seed)
    vectors = rng.standard_normal((count, dimensions)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def filled(vectors: NDArray[np.float32]) -> Bank:
    bank = Bank()
    bank.add([VectorRow("", at, at % 7, *quantise_vector(vector)) for at, vector in enumerate(vectors)])
    return bank


def best_ten(vectors: NDArray[np.float32], wanted: NDArray[np.float32], among: list[int]) -> list[int]:
    stored = [quantise_vector(vectors[at]) for at in among]
    alike = (
        dequantise_vectors([body for _, body in stored], [scale for scale, _ in stored], len(wanted)) @ wanted
    )
    return [among[at] for at in np.argsort(-alike, kind="stable")[:10]]


@given(st.integers(0, 2**32), st.integers(100, SMALL))
def test_guessing_and_looking_closely_finds_what_looking_at_everything_finds(seed: int, count: int) -> None:
    vectors, (wanted,) = drawn(seed, count), drawn(seed + 1, 1)
    near = wanted + vectors[:10] / 2
    vectors[:10] = near / np.linalg.norm(near, axis=1, keepdims=True)
    guessed = sorted(chunk for _, chunk in filled(vectors).find_nearest(wanted, max_chunks=50))
    assert len(guessed) == 50
    assert best_ten(vectors, wanted, guessed) == best_ten(vectors, wanted, list(range(count)))


@given(st.integers(0, 2**32), st.integers(1, SMALL), st.integers(1, 50))
def test_the_guesses_are_those_whose_bits_differ_least(seed: int, count: int, most: int) -> None:
    vectors, (wanted,) = drawn(seed, count), drawn(seed + 1, 1)
    signs = [np.frombuffer(quantise_vector(vector)[1], dtype=np.int8) > 0 for vector in vectors]
    differing = [int((sign != (wanted > 0)).sum()) for sign in signs]
    guessed = filled(vectors).find_nearest(wanted, max_chunks=most)
    assert sorted(bits for bits, _ in guessed) == sorted(differing)[:most]
    assert all(differing[chunk] == bits for bits, chunk in guessed)


@given(st.integers(0, 2**32), st.sets(st.integers(0, 6), min_size=1))
def test_only_the_sources_asked_for_are_found(seed: int, sources: set[int]) -> None:
    vectors, (wanted,) = drawn(seed, 60), drawn(seed + 1, 1)
    among = np.array(sorted(sources), dtype=np.int64)
    found = {chunk for _, chunk in filled(vectors).find_nearest(wanted, max_chunks=60, source_ids=among)}
    assert found == {at for at in range(60) if at % 7 in sources}


def test_searching_needs_no_more_memory_than_a_few_times_the_bits() -> None:
    vectors, (wanted,) = drawn(1, 20_000), drawn(2, 1)
    bank = filled(vectors)
    bits = 20_000 * 2 * 8
    bank.find_nearest(wanted, max_chunks=300)
    tracemalloc.start()
    for _ in range(20):
        bank.find_nearest(wanted, max_chunks=300)
    kept, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 * bits
    assert kept < bits / 10
