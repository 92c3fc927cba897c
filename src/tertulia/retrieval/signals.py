"""What speaks for a candidate: plain numbers from 0 to 1, each for one reason."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache, partial

import msgspec

from tertulia.retrieval.candidates import Candidate
from tertulia.retrieval.document_names import document_name_score
from tertulia.retrieval.identifier_scores import QueryIdentifier, identifier_score
from tertulia.retrieval.message_evidence import echo_score, is_revision
from tertulia.retrieval.occasion_scores import (
    is_occasion,
    message_time_span,
    recency_score,
    speaker_score,
    time_score,
)
from tertulia.retrieval.query_parser import ParsedQuery
from tertulia.retrieval.query_words import QueryWords
from tertulia.retrieval.retold_points import compute_retold_shares
from tertulia.retrieval.sources import SourceKind
from tertulia.retrieval.word_scores import (
    borrowed_share,
    heading_text,
    measure_topic,
    question_score,
    word_adjacency,
    word_coverage,
    word_rarities,
)

#: Meanings less alike than this are not alike at all.
SIMILARITY_MIN = 0.05
#: What is less alike by this much than the most alike tells nothing, or all that was found by meaning does.
SIMILARITY_SPREAD_MIN = 0.15
#: What is this much alike is surely about the same.
SIMILARITY_CERTAIN = 0.6
#: A message that is so much alike, against the most alike, is about the same matter.
SAME_MATTER_MIN_DENSE = 0.5
#: How many of the best are looked at for links between talk and files.
LINKED_CANDIDATES_MAX = 10


class Signals(msgspec.Struct, frozen=True, gc=False):
    """All reasons for a candidate."""

    #: How alike its meaning is in itself, from -1 to 1.
    alike: float = 0.0
    #: The share of the words of the query's topic that stand in it, all of them counting the same; of those
    #: that hardly stand there by chance; and rare words counting more.
    word_share: float = 0.0
    telling_share: float = 0.0
    topic_share: float = 0.0
    #: Whether it was said by whom and when the query says, and the query asks for nothing else.
    is_occasion: bool = False
    #: How well its words match, against the best match.
    lexical: float = 0.0
    #: How alike its meaning is, against the most alike.
    dense: float = 0.0
    #: The share of the query's identifiers that stand in it as they are written.
    names: float = 0.0
    #: The share of the query's words that stand in it, rare words counting more.
    coverage: float = 0.0
    #: The share of neighbouring words of the query that are neighbours here.
    adjacency: float = 0.0
    #: The share of the query's words that stand in its path or headings.
    heading: float = 0.0
    #: Whether it is of a document that the query calls by its name.
    titled: float = 0.0
    #: How well what was said right before and after matches.
    neighbour: float = 0.0
    recency: float = 0.0
    #: Whether it was said by whom the query names.
    speaker: float = 0.0
    #: Whether it was said when the query says, or soon after.
    time: float = 0.0
    #: Whether it was said in the conversation at hand.
    here: float = 0.0
    #: Whether it speaks of a file that was found, or is a file that was spoken of.
    linked: float = 0.0
    #: Whether it is code, as far as the query asks for code.
    code: float = 0.0
    #: Whether it revises what was said before on the matter.
    revision: float = 0.0
    #: Whether it speaks of somebody or something that the best messages name.
    named: float = 0.0
    #: How much it is a person's question, which is no evidence for an answer.
    question: float = 0.0
    #: How much it only says again what the query or the question before it says.
    echo: float = 0.0
    #: How well it matches by words that it has only from the question before it.
    borrowed: float = 0.0
    #: The share of its points that a message which was found says too.
    retold: float = 0.0


@dataclass(frozen=True, slots=True)
class CandidatePool:
    """Candidates with what the two searches said of them."""

    candidates: Sequence[Candidate]
    lexical: Mapping[int, float]
    dense: Mapping[int, float]


def select_promising(
    lexical: Mapping[int, float], dense: Mapping[int, float], *, max_chunks: int
) -> list[int]:
    """Return the chunks worth a closer look: those that words or meaning speak most for, the best first."""
    words, meaning = normalise_scores(lexical), normalise_scores(dense, floor=SIMILARITY_MIN)

    def promise(chunk: int) -> float:
        found = (words.get(chunk, 0.0), meaning.get(chunk, 0.0))
        return max(found) + sum(found)

    return sorted(dict.fromkeys((*lexical, *dense)), key=promise, reverse=True)[:max_chunks]


def compute_signals(
    pool: CandidatePool, query: ParsedQuery, *, now: datetime, conversation_id: str | None
) -> dict[int, Signals]:
    """Return the signals of each candidate."""
    asked = QueryWords.of(query)
    # The same question is asked more than once, and chunks share their headings: each is read once.
    match_in = cache(asked.match_in)
    texts = {
        candidate.chunk: match_in(f"{candidate.context}\n{candidate.content}")
        for candidate in pool.candidates
    }
    headings = {candidate.chunk: match_in(heading_text(candidate)) for candidate in pool.candidates}
    lexical = normalise_scores(pool.lexical)
    dense = discount_weak_similarity(spread_similarities(pool.dense), pool.dense)
    names = [QueryIdentifier.of(name) for name in query.names]
    rarity = word_rarities(asked, texts)
    coverage, adjacency = cache(partial(word_coverage, rarity)), cache(partial(word_adjacency, asked))
    near = neighbour_scores(pool, lexical, dense)
    newest, oldest = message_time_span(pool.candidates)
    linked = find_linked_chunks(pool.candidates, lexical, dense)
    retold = compute_retold_shares(pool.candidates, has_query_words=lambda text: any(match_in(text)))
    earlier = [
        candidate
        for candidate in pool.candidates
        if candidate.kind is SourceKind.MESSAGE and dense.get(candidate.chunk, 0.0) >= SAME_MATTER_MIN_DENSE
    ]
    query_stems = frozenset(asked.words)
    share = cache(partial(measure_topic, asked, rarity))
    speakers = {
        who: speaker_score(query, who) for who in {candidate.speaker for candidate in pool.candidates}
    }
    return {
        candidate.chunk: Signals(
            alike=min(1.0, max(-1.0, pool.dense.get(candidate.chunk, 0.0))),
            word_share=share(texts[candidate.chunk]).words,
            telling_share=share(texts[candidate.chunk]).telling,
            topic_share=share(texts[candidate.chunk]).rare,
            is_occasion=is_occasion(query, candidate, speakers[candidate.speaker]),
            lexical=lexical.get(candidate.chunk, 0.0),
            dense=dense.get(candidate.chunk, 0.0),
            names=identifier_score(names, candidate),
            coverage=coverage(texts[candidate.chunk]),
            adjacency=adjacency(texts[candidate.chunk]),
            heading=coverage(headings[candidate.chunk]),
            titled=document_name_score(candidate, asked.words),
            neighbour=near.get(candidate.chunk, 0.0),
            recency=recency_score(candidate, query, now=now, newest=newest, oldest=oldest),
            speaker=speakers[candidate.speaker] if candidate.kind is SourceKind.MESSAGE else 0.0,
            time=time_score(query, candidate),
            here=float(conversation_id is not None and candidate.conversation_id == conversation_id),
            linked=float(candidate.chunk in linked),
            code=code_score(
                query,
                candidate,
                relevance=max(dense.get(candidate.chunk, 0.0), coverage(texts[candidate.chunk])),
            ),
            revision=float(is_revision(candidate, earlier)),
            question=question_score(candidate, match_in, coverage),
            echo=echo_score(candidate, query_stems),
            # Who asks what somebody said asks it in the words of the question that they answered.
            borrowed=0.0
            if speakers[candidate.speaker]
            else lexical.get(candidate.chunk, 0.0) * borrowed_share(candidate, match_in, coverage),
            retold=retold.get(candidate.chunk, 0.0),
        )
        for candidate in pool.candidates
    }


def code_score(query: ParsedQuery, candidate: Candidate, *, relevance: float) -> float:
    """Return how much a candidate is the code that a query asks for: only what is to the matter is wanted."""
    if candidate.chunk_kind != "code":
        return 0.0
    return min(1.0, relevance) if query.wants_code else query.code


def normalise_scores(scores: Mapping[int, float], *, floor: float = 0.0) -> dict[int, float]:
    """Return scores as shares of the best one, counted from the least that counts."""
    best = max(scores.values(), default=0.0) - floor
    if best <= 0:
        return {}
    return {chunk: max(0.0, score - floor) / best for chunk, score in scores.items()}


def spread_similarities(similarities: Mapping[int, float]) -> dict[int, float]:
    """Return similarities as shares: the most alike is 1, and the least alike that was found is nothing."""
    best, least = max(similarities.values(), default=0.0), min(similarities.values(), default=0.0)
    if best <= SIMILARITY_MIN:
        return {}
    spread = max(SIMILARITY_SPREAD_MIN, best - max(least, SIMILARITY_MIN))
    return {chunk: max(0.0, 1 - (best - similarity) / spread) for chunk, similarity in similarities.items()}


def discount_weak_similarity(
    shares: Mapping[int, float], similarities: Mapping[int, float]
) -> dict[int, float]:
    """Return shares for what they are worth: where nothing is much alike, being the most alike tells less."""
    worth = (1 + min(1.0, max(similarities.values(), default=0.0) / SIMILARITY_CERTAIN)) / 2
    return {chunk: share * worth for chunk, share in shares.items()}


def neighbour_scores(
    pool: CandidatePool, lexical: Mapping[int, float], dense: Mapping[int, float]
) -> dict[int, float]:
    """Return, for each message, how well the best of its neighbours in the talk matches."""
    scored: dict[tuple[str, int], list[tuple[str, float]]] = {}
    messages = [candidate for candidate in pool.candidates if candidate.kind is SourceKind.MESSAGE]
    for candidate in messages:
        if candidate.conversation_id is not None and candidate.round_number is not None:
            own = (lexical.get(candidate.chunk, 0.0) + dense.get(candidate.chunk, 0.0)) / 2
            scored.setdefault((candidate.conversation_id, candidate.round_number), []).append(
                (candidate.source_id, own)
            )
    near: dict[int, float] = {}
    for candidate in messages:
        if candidate.conversation_id is not None and candidate.round_number is not None:
            around = [
                (score if step == 0 else score / 2)
                for step in (-1, 0, 1)
                for source, score in scored.get(
                    (candidate.conversation_id, candidate.round_number + step), []
                )
                if source != candidate.source_id
            ]
            near[candidate.chunk] = max(around, default=0.0)
    return near


def find_linked_chunks(
    candidates: Sequence[Candidate], lexical: Mapping[int, float], dense: Mapping[int, float]
) -> set[int]:
    """Return the files that the best messages speak of, and the messages that speak of the best files."""
    rated = sorted(
        candidates,
        key=lambda candidate: lexical.get(candidate.chunk, 0) + dense.get(candidate.chunk, 0),
        reverse=True,
    )
    talk = [candidate for candidate in rated if candidate.kind is SourceKind.MESSAGE]
    files = [candidate for candidate in rated if candidate.kind is SourceKind.FILE]
    spoken = " ".join(candidate.content for candidate in talk[:LINKED_CANDIDATES_MAX])
    linked = {
        file.chunk
        for file in files
        if (name := file.path.rsplit("/", 1)[-1]) and "." in name and name in spoken
    }
    best = {file.path.rsplit("/", 1)[-1] for file in files[:LINKED_CANDIDATES_MAX]}
    return linked | {
        candidate.chunk
        for candidate in talk
        if any(name in candidate.content for name in best if "." in name)
    }
