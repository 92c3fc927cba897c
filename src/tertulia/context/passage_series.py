"""Passages that differ in their figures alone: one of them is shown, and tells of the others in short."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from tertulia.context.domain import RecalledPassage
from tertulia.context.passage_wording import NEGATIONS, WORDINGS_KEPT_MAX
from tertulia.core.stop_words import STOP_WORDS
from tertulia.core.word_stems import stem
from tertulia.memory.figures import DAY_OF_MONTH_PATTERN, DIGIT_PATTERN, FIGURE_TOKEN_PATTERN, find_figures
from tertulia.retrieval.index_words import INDEX_WORD_PATTERN

#: What has more figures of its own is a table or a list, and cannot be told in short.
SERIES_OWN_FIGURES_MAX = 4
#: Longer texts are not compared.
SERIES_TEXT_MAX_CHARS = 2_000
#: So many passages are told in short beside the one that is shown, the newest.
SERIES_TOLD_MAX = 12
#: Words that may come and go from one reading to the next.
UNTELLING_WORDS = STOP_WORDS - NEGATIONS


@dataclass(frozen=True, slots=True)
class Reading:
    """A text in two: what it says whatever the figures are, and these."""

    words: frozenset[str]
    figures: tuple[str, ...]

    @classmethod
    @lru_cache(maxsize=WORDINGS_KEPT_MAX)
    def of(cls, text: str) -> "Reading":
        """Return a text as a reading; a day with its month is one figure."""
        days = [match[0] for match in DAY_OF_MONTH_PATTERN.finditer(text)]
        rest = DAY_OF_MONTH_PATTERN.sub(" ", text)
        tokens = [token for token in FIGURE_TOKEN_PATTERN.findall(rest) if DIGIT_PATTERN.search(token)]
        bare = FIGURE_TOKEN_PATTERN.sub(
            lambda token: " " if DIGIT_PATTERN.search(token[0]) else token[0], rest
        )
        figures = dict.fromkeys((*days, *(token.strip(".,:;-/'") for token in tokens)))
        words = {word.lower() for word in INDEX_WORD_PATTERN.findall(bare)} - UNTELLING_WORDS
        return cls(frozenset(map(stem, words)), tuple(figures))

    def is_like(self, other: "Reading") -> bool:
        """Tell whether two texts say the same, but for a few figures."""
        own_counts = (len(self.own_figures(other)), len(other.own_figures(self)))
        is_same = bool(self.words) and self.words == other.words and bool(self.figures)
        return is_same and max(own_counts) <= SERIES_OWN_FIGURES_MAX

    def own_figures(self, other: "Reading") -> list[str]:
        """Return the figures that another reading does not have."""
        return [figure for figure in self.figures if figure not in other.figures]


@dataclass(frozen=True, slots=True)
class FoldedPassages:
    """Passages of which each series stands once, and those that are told of in short."""

    kept: tuple[RecalledPassage, ...]
    folded: tuple[RecalledPassage, ...]


def fold_series(found: Iterable[RecalledPassage], *, question: str) -> FoldedPassages:
    """Return passages with one for each series of a source, in the place of its best.

    What another file or conversation says alike stays, but behind all that says something else.
    """
    series: list[list[RecalledPassage]] = []
    for passage in found:
        own = next((members for members in series if is_same_series(members[0], passage)), None)
        if own is None:
            series.append([passage])
        else:
            own.append(passage)
    asked = frozenset(find_figures(question))
    leads = [find_lead(members, asked) for members in series]
    told = [
        tell_of_others(lead, [passage for passage in members if passage is not lead])
        for lead, members in zip(leads, series, strict=True)
    ]
    shown = set(map(id, leads))
    folded = tuple(passage for members in series for passage in members if id(passage) not in shown)
    return FoldedPassages(move_alike_back(told), folded)


def is_same_series(passage: RecalledPassage, other: RecalledPassage) -> bool:
    """Tell whether two passages are readings that one speaker gives in one conversation, or one file has.

    What was taken back stands for itself, with the words that did so.
    """
    return (
        source_of(passage) == source_of(other)
        and not passage.reversals
        and not other.reversals
        and are_alike(passage, other)
    )


def source_of(passage: RecalledPassage) -> tuple[str | None, ...]:
    """Return what the passages of a series have in common: a file, or who speaks in which conversation."""
    where = passage.passage
    if where.path:
        return (where.source_id,)
    return where.conversation_id, where.speaker, passage.author_id, passage.lane


def are_alike(passage: RecalledPassage, other: RecalledPassage) -> bool:
    """Tell whether two passages say the same, but for a few figures."""
    if max(len(passage.text), len(other.text)) > SERIES_TEXT_MAX_CHARS:
        return False
    return Reading.of(passage.text).is_like(Reading.of(other.text))


def find_lead(members: Sequence[RecalledPassage], asked: frozenset[str]) -> RecalledPassage:
    """Return which passage of a series is shown: the one asked for by its figures, else the newest said."""
    if asked:
        return max(members, key=lambda passage: len(asked & frozenset(find_figures(passage.text))))
    return max(members, key=lambda passage: passage.passage.round_number)


def tell_of_others(lead: RecalledPassage, others: Sequence[RecalledPassage]) -> RecalledPassage:
    """Return a passage that tells where the same is said with other figures, and with which."""
    if not others:
        return lead
    ordered = sorted(others, key=lambda other: (other.passage.round_number, other.passage.start_line))
    shown = [describe_reading(other, Reading.of(lead.text)) for other in ordered[-SERIES_TOLD_MAX:]]
    more = [f"and {len(others) - len(shown)} more"] if len(shown) < len(others) else []
    place = "this file" if lead.passage.path else "the same conversation"
    return replace(
        lead,
        alike=f"[The same in {place}, with other figures: {'; '.join((*shown, *more))}]",
        local_only=lead.local_only or any(other.local_only for other in others),
    )


def describe_reading(passage: RecalledPassage, lead: Reading) -> str:
    """Return where a reading stands, and those of its figures that the one shown does not have."""
    where = passage.passage
    place = f"lines {where.start_line}-{where.end_line}" if where.path else f"round {where.round_number}"
    return f"{place}: {', '.join(Reading.of(passage.text).own_figures(lead)) or 'as here'}"


def move_alike_back(passages: Sequence[RecalledPassage]) -> tuple[RecalledPassage, ...]:
    """Return passages in their order, but those that say the same as a better one of another source last."""
    first: list[RecalledPassage] = []
    last: list[RecalledPassage] = []
    for passage in passages:
        repeats = any(not is_by_other_person(passage, other) and are_alike(passage, other) for other in first)
        (last if repeats else first).append(passage)
    return (*first, *last)


def is_by_other_person(passage: RecalledPassage, other: RecalledPassage) -> bool:
    """Tell whether two passages are what two people said: the same words are then not the same."""
    authors = {passage.author_id, other.author_id}
    return len(authors) > 1 and "" not in authors
