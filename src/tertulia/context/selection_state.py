"""A prompt's selection while it is made: what was taken so far, and how much room is left."""

from dataclasses import dataclass, field

from tertulia.context import prompts
from tertulia.context.domain import PinnedMessage, PromptInputs, RecalledPassage
from tertulia.context.known_facts import KnownFact
from tertulia.context.prompt_depth import PromptDepth
from tertulia.context.prompt_plan import Item, LeftOut, SectionKind, WhyNot
from tertulia.context.recent_rounds import RenderedRound
from tertulia.entities.domain import Entity
from tertulia.memory.domain import Point
from tertulia.models.calls import PromptMessage
from tertulia.models.tokens import TokenCounter

#: What the blank lines take that stand between the parts of a list.
SEPARATOR_TOKENS = 2


@dataclass(slots=True)
class PromptSelection:
    """What goes into a prompt, in the order of its sections."""

    system: list[Item] = field(default_factory=list[Item])
    always: list[RecalledPassage] = field(default_factory=list[RecalledPassage])
    pinned: list[PinnedMessage] = field(default_factory=list[PinnedMessage])
    points: list[Point] = field(default_factory=list[Point])
    rounds: list[RenderedRound] = field(default_factory=list[RenderedRound])
    entities: list[Entity] = field(default_factory=list[Entity])
    known: list[KnownFact] = field(default_factory=list[KnownFact])
    named: list[RecalledPassage] = field(default_factory=list[RecalledPassage])
    found: list[RecalledPassage] = field(default_factory=list[RecalledPassage])
    #: Files that search does not find yet, by their paths.
    unindexed: list[str] = field(default_factory=list[str])
    #: Lines on the conversation that stand right before the question.
    note: list[Item] = field(default_factory=list[Item])
    final_messages: list[PromptMessage] = field(default_factory=list[PromptMessage])
    left_out: list[LeftOut] = field(default_factory=list[LeftOut])
    #: How many pictures of files come with the question.
    pictures: int = 0

    @property
    def is_bare(self) -> bool:
        """Tell whether there is nothing in it that could be left out."""
        added = self.always or self.pinned or self.points or self.rounds or self.named or self.found
        return (
            not added
            and not self.known
            and not self.entities
            and not self.unindexed
            and not self.note
            and not self.pictures
        )


@dataclass(slots=True)
class SelectionState:
    """What the parts of a selector share: what they choose from, what was taken, and the tokens left."""

    inputs: PromptInputs
    depth: PromptDepth
    counter: TokenCounter
    has_vision: bool
    #: Tokens that are left in the prompt.
    room: int
    #: Tokens that are left for what the question does not name: points and passages that were found.
    added: int
    #: Tokens of the system prompt, the question and the rounds that were taken.
    said_tokens: int = 0
    selection: PromptSelection = field(default_factory=PromptSelection)

    def take_required_tokens(self, tokens: int, *, spare: int) -> None:
        """Take what must be there: the system prompt and the question."""
        self.room = max(0, self.room - tokens - spare)
        self.said_tokens = tokens

    def take_rounds_tokens(self, tokens: int) -> None:
        """Take rounds; a level gives to points and passages what they leave of it."""
        self.room -= tokens
        self.said_tokens += tokens
        self.added = self.depth.added_max_tokens(self.said_tokens, self.added)

    def leave_out(self, section: SectionKind, item: Item, reason: WhyNot) -> None:
        """Note that an item is not in the prompt, and why."""
        self.selection.left_out.append(LeftOut(section, item, reason))

    def frame_tokens(self, section: SectionKind) -> int:
        """Return what the frame around a section takes."""
        frames = {
            SectionKind.FILES: prompts.always_files([]),
            SectionKind.PINNED: prompts.pinned([]),
            SectionKind.MEMORY: prompts.known_facts([]),
            SectionKind.ENTITIES: prompts.entities([]),
            SectionKind.PASSAGES: prompts.passages([], pointers=self.depth.pointers),
        }
        return self.counter.message(PromptMessage("user", frames[section]))

    def messages_shown(self) -> set[str]:
        """Return the messages that the prompt shows word for word."""
        shown = {pinned_message.id for pinned_message in self.selection.pinned}
        return shown.union(
            self.inputs.now.message_ids,
            *(rendered_round.message_ids for rendered_round in self.selection.rounds),
        )
