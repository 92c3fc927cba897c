"""What is said in which round: everything told early enough to be forgotten before it is asked for."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from evals.long_conversation import material
from evals.long_conversation.material import Fact, Reversal

#: Rounds that pass at least before something is asked for, or taken back.
ROUNDS_BEFORE_ASKED = 25
#: This share of the conversation has all that is told; the rest asks for it.
TOLD_SHARE = 0.7


@dataclass(frozen=True, slots=True)
class PlannedRound:
    """A round to come: what is said, and what its prompt must have."""

    question: str
    answer: str
    needed: Fact | Reversal | None = None
    #: What is reversed with this round: from the next one on it must not be told as current.
    reverses: Reversal | None = None


def plan_rounds(count: int, *, seed: int = 11) -> list[PlannedRound]:
    """Return the rounds of a conversation; the same seed gives the same one."""
    chance = Random(seed)
    talk = material.small_talk()
    planned: dict[int, PlannedRound] = {}

    def place(
        said: str,
        *,
        first: int,
        last: int,
        needed: Fact | Reversal | None = None,
        reverses: Reversal | None = None,
    ) -> int:
        """Say something in a free round between two, as near to a random one as there is."""
        wanted = chance.randint(first, max(first, last))
        free = [number for number in range(first, count) if number not in planned]
        number = min(free, key=lambda other: abs(other - wanted))
        planned[number] = PlannedRound(said, talk.answer(chance), needed, reverses)
        return number

    def with_talk(said: str) -> str:
        parts: Sequence[str] = chance.sample([said, talk.question(chance)], 2)
        return " ".join(parts)

    told_until = int(count * TOLD_SHARE)
    for one in chance.sample(material.reversals(), len(material.reversals())):
        decided = place(with_talk(one.decided), first=1, last=told_until // 2)
        reversed_ = place(
            with_talk(one.reversed), first=decided + ROUNDS_BEFORE_ASKED, last=told_until, reverses=one
        )
        place(one.question, first=reversed_ + ROUNDS_BEFORE_ASKED // 2, last=count - 1, needed=one)
    said = [*material.facts(), *material.commitments()]
    for fact in chance.sample(said, len(said)):
        told = place(with_talk(fact.said), first=0, last=told_until)
        place(fact.question, first=told + ROUNDS_BEFORE_ASKED, last=count - 1, needed=fact)
    filler = (PlannedRound(talk.question(chance), talk.answer(chance)) for _ in range(count))
    return [planned.get(number) or next(filler) for number in range(count)]
