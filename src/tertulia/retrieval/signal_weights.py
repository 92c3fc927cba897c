"""What each signal counts: it depends on what is asked, and on how far its words reach."""

from dataclasses import dataclass, replace

from tertulia.retrieval.flags import Flags
from tertulia.retrieval.query_parser import ParsedQuery
from tertulia.retrieval.sources import SourceKind


@dataclass(frozen=True, slots=True)
class SignalWeights:
    """What each signal counts."""

    dense: float
    lexical: float
    names: float
    neighbour: float = 0.0
    coverage: float = 0.0
    adjacency: float = 0.0
    heading: float = 0.0
    titled: float = 0.0
    recency: float = 0.0
    speaker: float = 0.0
    time: float = 0.0
    here: float = 0.0
    linked: float = 0.0
    code: float = 0.0
    revision: float = 0.0
    named: float = 0.0
    question: float = 0.0
    echo: float = 0.0
    borrowed: float = 0.0
    retold: float = 0.0


@dataclass(frozen=True, slots=True)
class MeaningShare:
    """How much meaning counts, from 0 to 1; words count the rest."""

    #: Where some candidate has most of the query's words, and where none has.
    in_reach: float
    out_of_reach: float
    #: Words reach when one candidate has such a share of the query's words, and do not below the other.
    reach_max: float = 0.9
    reach_min: float = 0.4

    def at(self, reach: float) -> float:
        """Return the share where one candidate has at most such a share of the query's words."""
        reached = min(1.0, max(0.0, (reach - self.reach_min) / (self.reach_max - self.reach_min)))
        return self.out_of_reach - (self.out_of_reach - self.in_reach) * reached


@dataclass(frozen=True, slots=True)
class WeightScheme:
    """All numbers that weights are made of, learned on labelled sets.

    Talk is found best by its words; prose and code by their words as far as these reach, and beyond that by
    their meaning.
    """

    #: Of messages, and of points of summaries.
    message: MeaningShare = MeaningShare(0.35, 0.35)
    prose: MeaningShare = MeaningShare(0.4, 0.95)
    #: Fewer words of a question stand in code than in prose that answers it.
    code: MeaningShare = MeaningShare(0.5, 0.98, reach_max=0.7, reach_min=0.3)
    named_code: MeaningShare = MeaningShare(0.6, 0.6)
    #: What identifiers count in each kind.
    message_names: float = 0.2
    prose_names: float = 0.3
    code_names: float = 0.8
    #: What counts only as far as words do.
    words: SignalWeights = SignalWeights(0.0, 1.0, 0.0, coverage=0.24, adjacency=0.14, heading=0.1)
    #: What counts for messages alone.
    talk: SignalWeights = SignalWeights(
        dense=0.0,
        lexical=0.0,
        names=0.0,
        neighbour=0.15,
        recency=0.03,
        revision=0.12,
        named=0.2,
        question=-0.5,
        echo=-0.7,
        borrowed=-0.35,
    )
    besides: SignalWeights = SignalWeights(
        dense=0.0, lexical=0.0, names=0.0, titled=0.3, speaker=0.4, time=0.25, here=0.2, linked=0.03, code=0.1
    )
    #: What points of summaries lose that a message says too: the message is the source.
    retold: float = -0.3
    #: How much it counts to be code where code is asked for: more than the words in which prose tells of it.
    wanted_code: float = 0.5
    #: How much recency counts where the latest or the first word on a matter is wanted.
    wanted_order: float = 0.25


LEARNED_SCHEME = WeightScheme()
#: Without reranking: the similarity, BM25 as a share of the best, and whether an identifier is there.
FORMULA_WEIGHTS = SignalWeights(dense=0.6, lexical=0.3, names=0.1)


def weights_for(
    kind: SourceKind,
    chunk_kind: str,
    query: ParsedQuery,
    flags: Flags,
    *,
    rerank: bool,
    reach: float = 1.0,
    scheme: WeightScheme = LEARNED_SCHEME,
) -> SignalWeights:
    """Return what each signal counts for candidates of a kind.

    `reach` says how far the query's words reach: the largest share of them that one candidate has.
    """
    if not rerank:
        return with_chosen_weights(FORMULA_WEIGHTS, flags)
    meaning = select_share(kind, chunk_kind, query, scheme).at(reach)
    words = 1 - meaning
    weights = replace(
        scheme.besides,
        dense=meaning,
        lexical=scheme.words.lexical * words,
        names=select_names_weight(kind, chunk_kind, scheme),
        coverage=scheme.words.coverage * words,
        adjacency=scheme.words.adjacency * words,
        heading=scheme.words.heading * words,
        code=scheme.wanted_code if query.wants_code else scheme.besides.code,
    )
    if kind is SourceKind.MESSAGE:
        weights = with_message_weights(weights, query, scheme)
    if kind is SourceKind.SUMMARY:
        weights = replace(weights, echo=scheme.talk.echo, retold=scheme.retold)
    return with_chosen_weights(weights, flags)


def select_share(kind: SourceKind, chunk_kind: str, query: ParsedQuery, scheme: WeightScheme) -> MeaningShare:
    """Return how much meaning counts for candidates of a kind."""
    if kind is not SourceKind.FILE:
        return scheme.message
    if chunk_kind != "code":
        return scheme.prose
    return scheme.named_code if query.names else scheme.code


def select_names_weight(kind: SourceKind, chunk_kind: str, scheme: WeightScheme) -> float:
    """Return what identifiers count for candidates of a kind."""
    if kind is not SourceKind.FILE:
        return scheme.message_names
    return scheme.code_names if chunk_kind == "code" else scheme.prose_names


def with_message_weights(weights: SignalWeights, query: ParsedQuery, scheme: WeightScheme) -> SignalWeights:
    """Return weights with what counts for messages alone, as far as the query does not want otherwise."""
    talk = scheme.talk
    return replace(
        weights,
        neighbour=talk.neighbour,
        recency=scheme.wanted_order if query.newest else talk.recency,
        revision=0.0 if query.newest < 0 else talk.revision,
        named=talk.named,
        question=0.0 if query.mine else talk.question,
        echo=talk.echo,
        borrowed=talk.borrowed,
    )


def with_chosen_weights(weights: SignalWeights, flags: Flags) -> SignalWeights:
    """Return weights with those that the workspace or the environment fixed."""
    return replace(
        weights,
        dense=weights.dense if flags.rerank_alpha is None else flags.rerank_alpha,
        lexical=weights.lexical if flags.rerank_beta is None else flags.rerank_beta,
        names=weights.names if flags.rerank_gamma is None else flags.rerank_gamma,
    )
