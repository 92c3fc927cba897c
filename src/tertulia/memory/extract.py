"""The summariser that needs no model: the sentences that tell most, word for word."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from math import log, sqrt

from tertulia.memory import cues
from tertulia.memory.domain import Line, Point, PointKind, point_from
from tertulia.memory.measure import AROUND, cost, fitting
from tertulia.memory.said import LONGEST, Said, all_said, in_context, text_of
from tertulia.memory.salience import kind_of, salience
from tertulia.retrieval.words import content_words

#: Sentences that tell less than this are left out even where there is room.
LEAST = 0.4
#: A model's sentence with this share of its words in one already chosen says the same; a person's with all.
SAME = 0.8
#: An answer this long answers something.
SUBSTANTIAL = 12
#: In how many rounds after it a question may still be answered.
LATER = 2


def extract(lines: Sequence[Line], *, most_tokens: int) -> list[Point]:
    """Return the sentences of a conversation that tell most, in order, within a number of tokens."""
    said = all_said(lines)
    pending = open_questions(said)
    kinds = [kind_of(one, is_open=index in pending) for index, one in enumerate(said)]
    chosen = choose(said, scored(said, kinds), most_tokens=most_tokens)
    return [as_point(kinds[index], whole) for index, whole in sorted(chosen.items())]


def as_point(kind: PointKind, whole: Sequence[Said]) -> Point:
    """Return a sentence as a point, with what it needs to be understood."""
    return point_from(kind, fitting(text_of(whole), LONGEST), *(one.line for one in whole))


def scored(said: Sequence[Said], kinds: Sequence[PointKind]) -> list[float]:
    """Return how much each sentence tells: by itself, and of what the conversation keeps coming back to."""
    central = centrality(said)
    return [salience(one, kind) + near for one, kind, near in zip(said, kinds, central, strict=True)]


def centrality(said: Sequence[Said]) -> list[float]:
    """Return, from 0 to 1, how far each sentence speaks of rare words that others share."""
    spread = Counter(word for one in said for word in one.words)
    every = len(said) + 1
    worth = {word: log(1 + found) * log(every / found) for word, found in spread.items()}
    raw = [sum(worth[word] for word in sorted(one.words)) / sqrt(len(one.words) + 4) for one in said]
    most = max(raw, default=0.0)
    return [value / most if most else 0.0 for value in raw]


def choose(said: Sequence[Said], scores: Sequence[float], *, most_tokens: int) -> dict[int, list[Said]]:
    """Return the best sentences that fit, by their places, none of which says what another one says."""
    room, chosen = most_tokens, dict[int, list[Said]]()
    having: defaultdict[str, list[int]] = defaultdict(list)
    for index in sorted(range(len(said)), key=lambda place: (-scores[place], place)):
        if room <= AROUND or scores[index] < LEAST:
            break
        whole = [said[index]] if index - 1 in chosen else in_context(said, index)
        text = fitting(text_of(whole), LONGEST)
        if not text or (price := cost(text)) > room or says_the_same(said, index, chosen, having):
            continue
        room -= price
        chosen[index] = whole
        for word in content_words(text):
            having[word].append(index)
    return chosen


def says_the_same(
    said: Sequence[Said], index: int, chosen: dict[int, list[Said]], having: defaultdict[str, list[int]]
) -> bool:
    """Tell whether one chosen sentence of the same speaker has these words and these figures already."""
    one = said[index]
    enough = len(one.words) * (1.0 if one.by_user else SAME)
    shared = Counter(other for word in one.words for other in having.get(word, ()))
    return any(
        count >= enough
        and said[other].line.speaker == one.line.speaker
        and said[other].line.local_only == one.line.local_only
        and set(one.figures) <= {figure for part in chosen[other] for figure in part.figures}
        for other, count in shared.items()
    )


def open_questions(said: Sequence[Said]) -> set[int]:
    """Return the places of what the person asked and no reply answered."""
    replies: defaultdict[int, dict[str, list[Said]]] = defaultdict(dict)
    for one in said:
        if not one.by_user:
            replies[one.line.round_number].setdefault(one.line.id, []).append(one)
    return {
        index
        for index, one in enumerate(said)
        if one.by_user and not one.is_code and cues.asks(one.text) and not is_answered(one, replies)
    }


def is_answered(question: Said, replies: defaultdict[int, dict[str, list[Said]]]) -> bool:
    """Tell whether a reply of the same round, or of one soon after, has to do with a question."""
    number = question.line.round_number
    return any(
        answers(question, reply, later=later > 0)
        for later in range(LATER + 1)
        for reply in replies.get(number + later, {}).values()
    )


def answers(question: Said, reply: Sequence[Said], *, later: bool) -> bool:
    """Tell whether a reply has to do with a question; a later one must share most of its words."""
    if cues.evades(" ".join(one.text for one in reply[:3])):
        return False
    words = frozenset[str]().union(*(one.words for one in reply))
    shared = len(words & question.words)
    if later:
        return shared * 2 > len(question.words)
    return shared > 0 or len(words) >= SUBSTANTIAL or any(one.figures for one in reply)
