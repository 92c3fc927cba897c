"""What one prompt is made of, section by section, and what was left out of it and why."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum


class SectionKind(StrEnum):
    """The sections of a prompt, in their order: what changes least comes first, so that it stays cached."""

    SYSTEM = "system"
    FILES = "files"
    PINNED = "pinned"
    SUMMARY = "summary"
    ROUNDS = "rounds"
    #: What is known of the person: their profile and memories, and what was named in the conversation.
    MEMORY = "memory"
    ENTITIES = "entities"
    PASSAGES = "passages"
    TOOLS = "tools"
    #: Which round of which conversation this is, and what day: it changes with every question.
    CONVERSATION = "conversation"
    QUESTION = "question"
    #: What is added step by step while a model works with tools.
    STEPS = "steps"


class WhyNot(StrEnum):
    """Why something is not in a prompt."""

    LOCAL_ONLY = "local_only"
    EXCLUDED = "excluded"
    ASKED = "asked"
    ALONG = "along"
    OTHER_LANE = "other_lane"
    PASSED_OVER = "passed_over"
    SHOWN_ALREADY = "shown_already"
    OLDER = "older"
    NO_ROOM = "no_room"
    SHARE = "share"
    TOO_LONG = "too_long"
    LEVEL = "level"
    NO_SUCH_FILE = "no_such_file"
    NO_TEXT = "no_text"
    REST = "rest"
    REPEATED = "repeated"
    UNREADABLE = "unreadable"
    INDEXING = "indexing"
    INDEXING_MEANING = "indexing_meaning"
    SEARCH_TIMEOUT = "search_timeout"
    SEARCH_FAILED = "search_failed"
    NO_MEANING = "no_meaning"
    NO_WORDS = "no_words"
    NO_EXPANSION = "no_expansion"
    SWITCHED_OFF = "switched_off"


#: The reasons, in sentences for people.
LEFT_OUT_EXPLANATIONS = {
    WhyNot.LOCAL_ONLY: "It is for local models alone, and this model runs elsewhere.",
    WhyNot.EXCLUDED: "You left it, or the question it answers, out of all prompts.",
    WhyNot.ASKED: "You asked for a reply without it.",
    WhyNot.ALONG: "It comes from what you asked to go without.",
    WhyNot.OTHER_LANE: "Another model said it, and in this round each model hears only its own lane.",
    WhyNot.PASSED_OVER: "It comes from a reply that was written anew, or passed over for another.",
    WhyNot.SHOWN_ALREADY: "The prompt has it already.",
    WhyNot.OLDER: "Only the latest rounds are shown word for word; earlier ones are summarised and searched.",
    WhyNot.NO_ROOM: "There was no room left for it.",
    WhyNot.SHARE: "Files, passages and the summary have a share of the prompt each, and it is used up.",
    WhyNot.TOO_LONG: "It alone would take more than half of the room for earlier rounds.",
    WhyNot.LEVEL: "The level or strategy that was chosen here goes without.",
    WhyNot.NO_SUCH_FILE: "The project has no file of this name.",
    WhyNot.NO_TEXT: "It has no text, and is no picture of a kind and size that models take.",
    WhyNot.REST: (
        "Only the beginning of the file is shown: files may take half of the room, and 120,000 characters."
    ),
    WhyNot.REPEATED: "Another passage says the same, or the same with other figures.",
    WhyNot.UNREADABLE: "It could not be read at that moment.",
    WhyNot.INDEXING: "It was still being indexed, so that search could not find it yet.",
    WhyNot.INDEXING_MEANING: "It was still being indexed: search found it by its words, not yet by meaning.",
    WhyNot.SEARCH_TIMEOUT: "It took too long, or waited for too many others: the model was asked without.",
    WhyNot.SEARCH_FAILED: "It failed, and the model was asked without. The server's log says why.",
    WhyNot.NO_MEANING: "The embedder did not answer in time, so that only words were looked for.",
    WhyNot.NO_WORDS: "The index of words is being rebuilt, so that only meanings were compared.",
    WhyNot.NO_EXPANSION: "No utility model expanded the question in time: it was searched as it is.",
    WhyNot.SWITCHED_OFF: "The token budget of passages is 0, so that none are looked up.",
}


@dataclass(frozen=True, slots=True)
class Pointer:
    """Where an item can be looked up; what does not apply is empty."""

    message_ids: list[str] = field(default_factory=list[str])
    file_id: str = ""
    project_id: str = ""
    conversation_id: str = ""
    round_id: str = ""
    round_number: int = 0
    path: str = ""
    start_line: int = 0
    end_line: int = 0
    start_char: int = 0
    end_char: int = 0
    summary_id: str = ""
    #: The memory, or the profile.
    memory_id: str = ""
    #: Which points of the summary.
    points: list[int] = field(default_factory=list[int])
    #: The number under which a reply cites it.
    number: int = 0
    #: The call of a tool that gave it, or the step in which the model itself said it, counted from 1.
    call_id: str = ""
    step: int = 0


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that a model is shown."""

    #: The same from prompt to prompt, so that a person can ask for a reply without it.
    id: str
    title: str
    tokens: int
    pointer: Pointer = Pointer()
    local_only: bool = False
    #: What the model reads.
    text: str = ""
    #: Where a receipt keeps that, unless it is a message's.
    text_hash: str = ""
    #: Whoever reads this may not see what it comes from, or that is gone: nothing else is told of it.
    is_hidden: bool = False


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An item that is not in the prompt, where it would have stood, and why it is not."""

    section: SectionKind
    item: Item
    reason: WhyNot


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a prompt."""

    kind: SectionKind
    items: tuple[Item, ...]
    #: What the frame around the items takes; less than nothing where joining them saves something.
    around: int = 0

    @property
    def tokens(self) -> int:
        """Return how many tokens it takes."""
        return sum(item.tokens for item in self.items) + self.around


@dataclass(frozen=True, slots=True)
class PlanStep:
    """A model was asked to go on, with what it said and what its tools gave since it was asked before."""

    #: The second is the first after the prompt.
    number: int
    #: Tokens of all that was sent with it: the prompt, and what every step has added.
    tokens: int
    items: tuple[Item, ...]
    #: What had been added before, and had to make room.
    left_out: tuple[LeftOut, ...] = ()


@dataclass(frozen=True, slots=True)
class PromptPlan:
    """What one model is shown for one question."""

    lane: str
    model: str
    window: int
    #: Tokens set aside for the reply.
    reply: int
    #: Tokens that the prompt may have at most.
    limit: int
    #: Tokens that it has.
    tokens: int
    sections: tuple[Section, ...]
    left_out: tuple[LeftOut, ...] = ()
    #: The same for two prompts exactly when every byte of them is.
    hash: str = ""
    #: It holds something that only local models may see: so does whatever is answered to it.
    local_only: bool = False
    #: The provider had found a longer one too long.
    shortened: bool = False
    #: How it went on, where the model used tools.
    steps: tuple[PlanStep, ...] = ()
    #: Tokens that passages may take together; 0 where nothing was searched.
    passage_budget: int = 0

    @property
    def sent(self) -> int:
        """Return how many tokens were sent in all steps together, which is what a provider counts."""
        return self.tokens + sum(step.tokens for step in self.steps)

    @property
    def shown_items(self) -> list[Item]:
        """Return all that a model was shown, in its prompt and in the steps after it."""
        return [item for part in (*self.sections, *self.steps) for item in part.items]

    @property
    def all_items(self) -> list[Item]:
        """Return all that it names, what was left out too."""
        left_out = [left.item for part in (self, *self.steps) for left in part.left_out]
        return [*self.shown_items, *left_out]

    def map_items(self, change: Callable[[Item], Item]) -> "PromptPlan":
        """Return the plan with every item changed, those that were left out too."""
        sections = tuple(
            replace(section, items=tuple(map(change, section.items))) for section in self.sections
        )
        steps = tuple(
            replace(step, items=tuple(map(change, step.items)), left_out=map_left_out(step.left_out, change))
            for step in self.steps
        )
        return replace(self, sections=sections, steps=steps, left_out=map_left_out(self.left_out, change))


def map_left_out(left_out: tuple[LeftOut, ...], change: Callable[[Item], Item]) -> tuple[LeftOut, ...]:
    """Return what was left out with every item changed."""
    return tuple(replace(omission, item=change(omission.item)) for omission in left_out)
