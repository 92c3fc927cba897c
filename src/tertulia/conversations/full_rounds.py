"""Rounds with all that was said in them."""

from collections.abc import Sequence
from dataclasses import dataclass

from tertulia.conversations.domain import Mark, Message, Reply, Round


@dataclass(frozen=True, slots=True)
class ReplyWithMessage:
    """A reply and, once it is final, its message with what people say of it."""

    reply: Reply
    message: Message | None
    marks: Sequence[Mark] = ()


@dataclass(frozen=True, slots=True)
class FullRound:
    """A round with all that was said in it, and the branches beside it (itself included)."""

    round: Round
    question: Message
    answers: list[ReplyWithMessage]
    siblings: list[str]
    #: What people say of the question.
    marks: Sequence[Mark] = ()
