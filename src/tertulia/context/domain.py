"""What a prompt is made from, as plain values."""

from dataclasses import dataclass

from tertulia.conversations.domain import Passage, Policy, ReplyKind
from tertulia.models.calls import Effort, Image


@dataclass(frozen=True, slots=True)
class PastReply:
    """What one lane said in a round."""

    lane: str
    text: str
    kind: ReplyKind = ReplyKind.ANSWER


@dataclass(frozen=True, slots=True)
class PastRound:
    """A question and what of its replies may be shown."""

    question: str
    replies: tuple[PastReply, ...] = ()
    images: tuple[Image, ...] = ()


@dataclass(frozen=True, slots=True)
class Recalled:
    """A passage with its text, and whether only local models may see it."""

    passage: Passage
    text: str
    said_on: str = ""
    local_only: bool = False


@dataclass(frozen=True, slots=True)
class Memory:
    """What was looked up for a question: passages, numbered, and pictures of the project."""

    passages: tuple[Recalled, ...] = ()
    images: tuple[Image, ...] = ()


NOTHING = Memory()


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything known when one lane is about to speak."""

    lane: str
    kind: ReplyKind
    policy: Policy
    table: tuple[str, ...]
    past: tuple[PastRound, ...]
    #: The round to speak in; its replies are there only for one who merges or judges them.
    now: PastRound
    project: str = ""
    brief: str = ""
    instructions: tuple[str, ...] = ()
    #: Text of this lane's own that was cut short and is to be continued.
    begun: str = ""
    effort: Effort | None = None
    temperature: float | None = None
    output_limit: int | None = None
    #: What was found that may help, best first.
    recalled: tuple[Recalled, ...] = ()
    #: Pictures of the project that come with the question.
    shown: tuple[Image, ...] = ()
    #: A program speaks for the person, and wants the model to hear its own words alone.
    for_program: bool = False
