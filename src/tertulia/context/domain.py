"""What a prompt is made from, as plain values."""

from dataclasses import dataclass, field
from datetime import date

from tertulia.context.known_facts import KnownFact
from tertulia.context.prompt_plan import WhyNot
from tertulia.conversations.conversation_labels import ConversationLabel
from tertulia.conversations.domain import Anchor, Passage, Policy, ReplyKind
from tertulia.conversations.reversal_notes import ReversalNote
from tertulia.entities.domain import Entity
from tertulia.memory.domain import Point
from tertulia.models.calls import Effort, Image
from tertulia.projects.domain import Level, Strategy, ToolOffer


@dataclass(frozen=True, slots=True)
class PastReply:
    """What one lane said in a round."""

    lane: str
    text: str
    kind: ReplyKind = ReplyKind.ANSWER
    id: str = ""
    local_only: bool = False
    #: What it called, in words for the model that did, and for the others.
    own_calls: str = ""
    others_calls: str = ""


@dataclass(frozen=True, slots=True)
class PastRound:
    """A question and what of its replies may be shown."""

    question: str
    replies: tuple[PastReply, ...] = ()
    images: tuple[Image, ...] = ()
    id: str = ""
    number: int = 0
    question_id: str = ""
    #: The question is for local models alone, and so is all that was answered to it.
    local_only: bool = False
    #: Who asked, where several people write in the conversation.
    author: str = ""

    @property
    def message_ids(self) -> frozenset[str]:
        """Return the messages it is made of."""
        return frozenset((self.question_id, *(reply.id for reply in self.replies)))


@dataclass(frozen=True, slots=True)
class PinnedMessage:
    """A message that the person wants in every prompt."""

    id: str
    #: `user`, or a reply's lane.
    speaker: str
    text: str
    round_id: str
    round_number: int
    local_only: bool = False
    #: Who wrote it, where several people write in the conversation.
    author: str = ""
    #: That it was taken back later, and in which words.
    note: str = ""


@dataclass(frozen=True, slots=True)
class RecalledPassage:
    """A passage with its text, and whether only local models may see it."""

    passage: Passage
    text: str
    said_on: str = ""
    #: What of the passage meets the question, or what it is about, in a few words.
    hint: str = ""
    #: The person who said it, and where several are told of, what they are called; empty for others.
    author_id: str = ""
    author: str = ""
    #: What was said later that may take it back, and how that is told.
    reversals: tuple[ReversalNote, ...] = ()
    note: str = ""
    #: Where its source says the same with other figures, and with which.
    alike: str = ""
    #: What the conversation is called that it was said in, where that may be told.
    conversation: ConversationLabel | None = None
    #: It was said in the conversation at hand.
    is_here: bool = False
    #: It stands in a file that models can read by its path here.
    is_readable: bool = False
    #: The lane that said it, where it was said in this conversation.
    lane: str = ""
    local_only: bool = False
    #: It is a file that comes with the question, of which a prompt shows as many lines as it has room for.
    is_included_file: bool = False
    #: The file has more than this.
    goes_on: bool = False


@dataclass(frozen=True, slots=True)
class AbsentFile:
    """A file that should have come with the question, or been searched, and why it could not."""

    path: str
    reason: WhyNot
    file_id: str = ""
    project_id: str = ""
    #: It is one that every prompt has, not one that the question names.
    always: bool = False
    local_only: bool = False


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A file as the system prompt lists it; a folder has the number of files in it."""

    path: str
    size: int
    about: str = ""
    files: int = 0
    local_only: bool = False


@dataclass(frozen=True, slots=True)
class FileList:
    """The files of a project: each one, or where they are many, their folders."""

    count: int = 0
    listed: tuple[ListedFile, ...] = ()
    #: What models wrote for one another, by the names it is imported under.
    tools: tuple[ListedFile, ...] = ()


@dataclass(frozen=True, slots=True)
class RecallResult:
    """What was looked up for a question."""

    #: Files that every model of the project sees.
    always: tuple[RecalledPassage, ...] = ()
    #: Files that the question names.
    named: tuple[RecalledPassage, ...] = ()
    #: What was found, best first.
    found: tuple[RecalledPassage, ...] = ()
    #: Tokens that what was found may take.
    budget: int = 1_000
    images: tuple[Image, ...] = ()
    #: Files of which nothing can be shown, though they are always in context or named, or not yet searched.
    absent: tuple[AbsentFile, ...] = ()
    #: Why nothing was searched, or only in one way.
    given_up: tuple[WhyNot, ...] = ()
    #: What of the conversation's own summary was found, best first: it says which points are asked for.
    found_points: tuple[str, ...] = ()
    #: Memories that were found for it, best first.
    found_memories: tuple[str, ...] = ()


EMPTY_RECALL = RecallResult()


@dataclass(frozen=True, slots=True)
class TitleFacts:
    """What a conversation is called, and the messages that its title was made of.

    A title that a person gave was made of none. The speaker of each source stands beside it.
    """

    text: str = ""
    sources: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AnchorFacts:
    """What a conversation is about besides its project, as names and values to be told in this order."""

    kind: Anchor
    fields: tuple[tuple[str, str], ...]
    #: What is known of it in people's own words, line by line, each after a name and a colon.
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProjectFacts:
    """The project that a conversation belongs to."""

    name: str
    id: str
    status: str


@dataclass(frozen=True, slots=True)
class ConversationFacts:
    """Where and when a question is asked, and who writes there."""

    project: ProjectFacts | None = None
    anchor: AnchorFacts | None = None
    title: TitleFacts = TitleFacts()
    #: What day it is where the person is who asks.
    today: date | None = None
    time_zone: str = ""
    #: The people who write here, where they are several, each under a name of their own.
    people: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PromptSettings:
    """How much a model is to be shown, and how, after conversation and project were asked."""

    strategy: Strategy = Strategy.SMART
    level: Level | None = None
    max_tokens: int | None = None
    tools: ToolOffer = ToolOffer.SUITED


@dataclass(frozen=True, slots=True)
class PromptInputs:
    """Everything known when one lane is about to speak."""

    lane: str
    #: The model that speaks, by its id.
    model: str
    kind: ReplyKind
    policy: Policy
    table: tuple[str, ...]
    #: Earlier rounds that may be shown word for word, oldest first.
    past: tuple[PastRound, ...]
    #: The round to speak in; its replies are there only for one who merges or judges them.
    now: PastRound
    #: How many rounds came before `past`.
    earlier: int = 0
    facts: ConversationFacts = ConversationFacts()
    brief: str = ""
    instructions: tuple[str, ...] = ()
    file_list: FileList = FileList()
    #: What was summarised of all rounds but the last ones, and the version of that summary.
    points: tuple[Point, ...] = ()
    summary_id: str = ""
    #: Replies that were summarised, and asked for again or passed over for another since.
    passed_over: frozenset[str] = frozenset()
    pinned: tuple[PinnedMessage, ...] = ()
    #: Messages that are never shown.
    excluded: frozenset[str] = frozenset()
    #: Messages of this conversation that only local models may see.
    local_messages: frozenset[str] = frozenset()
    memory: RecallResult = EMPTY_RECALL
    #: What is known of the person, what matters most first.
    known: tuple[KnownFact, ...] = ()
    #: What was named in the conversation.
    entities: tuple[Entity, ...] = ()
    prompt_settings: PromptSettings = PromptSettings()
    #: Text of this lane's own that was cut short and is to be continued.
    begun: str = ""
    #: What was done with tools before it was cut off.
    begun_work: str = ""
    #: The message that this text was.
    begun_id: str = ""
    effort: Effort | None = None
    temperature: float | None = None
    output_limit: int | None = None
    #: Items that the person wants left out this time.
    leave_out: frozenset[str] = field(default=frozenset())
    #: The messages among those, and all of the rounds: they come back in no other way.
    asked_out: frozenset[str] = frozenset()
    #: The model may read files and search by itself, so that pointers are enough.
    can_read: bool = False
    #: The model may run code.
    can_run: bool = False
    #: Prompts of the same lane begin alike.
    cache_key: str = ""
    #: A program speaks for the person, and wants the model to hear its own words alone.
    for_program: bool = False

    @property
    def chars(self) -> int:
        """How many characters of talk there are to choose from."""
        said = [self.begun, *(pinned.text for pinned in self.pinned)]
        for round_ in (*self.past, self.now):
            said += [round_.question, *(reply.text for reply in round_.replies)]
        return sum(map(len, said))
