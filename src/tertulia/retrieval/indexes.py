"""The two indexes in which chunks are found."""

from dataclasses import dataclass

from tertulia.retrieval.full_text_index import FullTextIndex
from tertulia.retrieval.vector_index import VectorIndex


@dataclass(frozen=True, slots=True)
class SearchIndexes:
    """By words and by meaning, each as the database at hand has it."""

    words: FullTextIndex
    vectors: VectorIndex
