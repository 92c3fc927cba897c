"""What has the words of a query exactly, in its name or in rare words, comes before what is only alike."""

from datetime import UTC, datetime

import pytest
from msgspec import structs
from tests.property.test_retrieval_reranking import EXAMPLE

from tertulia.retrieval.candidates import Candidate
from tertulia.retrieval.document_names import document_name_score
from tertulia.retrieval.flags import Flags
from tertulia.retrieval.query_parser import ParsedQuery, parse_query
from tertulia.retrieval.query_words import QueryWords
from tertulia.retrieval.reranking import rank_candidates
from tertulia.retrieval.signals import CandidatePool, compute_signals
from tertulia.retrieval.sources import SourceKind

NOW = datetime(2026, 5, 20, tzinfo=UTC)


def document(
    chunk: int, content: str, *, path: str, context: str = "", chunk_kind: str = "prose"
) -> Candidate:
    return structs.replace(
        EXAMPLE,
        chunk=chunk,
        source=chunk,
        content=content,
        path=path,
        context=context,
        kind=SourceKind.FILE,
        chunk_kind=chunk_kind,
    )


def asked(text: str) -> ParsedQuery:
    return parse_query(text, today=NOW)


@pytest.mark.parametrize(
    ("text", "path", "context", "expected"),
    [
        ("what does the Evenlode Register treat", "papers/evenlode-register.md", "", 1.0),
        ("what does the Evenlode Register treat", "papers/17.md", "Evenlode Register \u203a Purpose", 1.0),
        ("the care of looms", "0040-care-of-looms.md", "", 1.0),
        ("what is in the register", "register.md", "", 0.5),
        ("the Register of Evenlode", "papers/evenlode-register.md", "", 0.0),
        ("what does the Evenlode treat", "papers/evenlode-register.md", "", 0.0),
        ("what does the Evenlode Register treat", "0040.md", "", 0.0),
    ],
)
def test_a_name_is_asked_for_by_all_its_words_in_their_order(
    text: str, path: str, context: str, expected: float
) -> None:
    candidate = document(1, "Some text.", path=path, context=context)
    assert document_name_score(candidate, QueryWords.of(asked(text)).words) == expected


def test_a_title_is_a_name_and_a_file_of_code_has_none() -> None:
    words = QueryWords.of(asked("the gate keeper")).words
    titled = document(1, "# Gate keeper\n\nShe opens at nine.", path="9.md")
    code = document(2, "def open(): ...", path="gate_keeper.py", chunk_kind="code")

    assert document_name_score(titled, words) == 1.0
    assert document_name_score(code, words) == 0.0


def test_the_document_itself_comes_before_one_that_mentions_it_and_is_more_alike() -> None:
    itself = document(1, "# Inver Catalogue\n\nThis text treats the post bus.", path="inver-catalogue.md")
    other = document(
        2, "# Lorimer Notice\n\nThis text treats lamp oil. See the Inver Catalogue.", path="lorimer-notice.md"
    )
    query = asked("what does the Inver Catalogue treat")
    pool = CandidatePool([itself, other], {1: 5.0, 2: 4.5}, {1: 0.11, 2: 0.3})

    ranked = rank_candidates(
        pool.candidates,
        compute_signals(pool, query, now=NOW, conversation_id=None),
        query,
        Flags(),
        rerank=True,
    )
    assert [hit.candidate.chunk for hit in ranked] == [1, 2]


def test_code_with_the_rare_words_of_a_question_comes_before_code_that_is_only_alike() -> None:
    sniffer = document(
        1, "def sniff(sample):\n    '''Guess the delimiter of a text.'''", path="a.py", chunk_kind="code"
    )
    others = [
        document(number, f"def read_{number}(file): return file.text", path="b.py", chunk_kind="code")
        for number in range(2, 9)
    ]
    query = asked("guess the delimiter of a delimited text file")
    likes = {other.chunk: 0.55 for other in others} | {1: 0.4, 8: 0.1}
    pool = CandidatePool([sniffer, *others], {1: 9.0} | {other.chunk: 2.0 for other in others}, likes)

    ranked = rank_candidates(
        pool.candidates,
        compute_signals(pool, query, now=NOW, conversation_id=None),
        query,
        Flags(),
        rerank=True,
    )
    assert ranked[0].candidate.chunk == 1
