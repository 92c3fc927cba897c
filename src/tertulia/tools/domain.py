"""What a tool is, on whose behalf it runs, and what it gives."""

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol, TypeVar

from tertulia.conversations.domain import SavedFile, Table, WrittenItem
from tertulia.core.errors import TertuliaError
from tertulia.core.json_object import JsonObject
from tertulia.core.principal import Principal
from tertulia.models.calls import Image

ArgumentsT = TypeVar("ArgumentsT")


class Effect(StrEnum):
    """Whether a tool only looks, or changes something."""

    READ = "read"
    SIDE = "side"


class ReportProgress(Protocol):
    """Hears what a tool that takes long says meanwhile and, where it knows, how far it is (0 to 1)."""

    def __call__(self, text: str, share: float | None = None, /) -> None:
        """Pass it on."""
        ...


def report_nothing(_text: str, _share: float | None = None, /) -> None:
    """Say nothing."""


class Quote(Protocol):
    """Hears which files a tool may quote in what it says while it runs, before it does."""

    async def __call__(self, file_ids: Collection[str], /) -> None:
        """Return once that is written down."""
        ...


async def quote_nothing(_file_ids: Collection[str], /) -> None:
    """Write nothing down."""


@dataclass(frozen=True, slots=True)
class ToolCaller:
    """On whose behalf a tool runs, where, and for which model."""

    by: Principal
    project_id: str | None
    conversation_id: str
    model_is_local: bool
    #: The round that is being answered: what others say in it is not to be found.
    round_id: str = ""
    #: The reply that is being written.
    reply_id: str = ""
    #: Where a lane hears no replies but its own: its name, and the speaker it is in other conversations.
    only_lane: str = ""
    only_speaker: str = ""
    #: The model it runs for, by its id.
    model: str = ""
    #: It speaks in a temporary conversation: nothing is remembered there, nor recalled.
    is_temporary: bool = False
    #: The model is offered tools at all.
    has_tools: bool = True
    #: As whom things are looked up, where others than the person read what comes of it.
    audience: Principal | None = None
    #: What a tool that takes long says meanwhile goes here.
    tell: ReportProgress = report_nothing
    #: Which files that may quote is said here first.
    quote: Quote = quote_nothing

    @property
    def reader(self) -> Principal:
        """Return as whom things are looked up."""
        return self.audience or self.by

    @property
    def is_alone(self) -> bool:
        """Tell whether nobody but the person on whose behalf it runs reads what comes of it."""
        return self.reader.user_id == self.by.user_id


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """What a tool gave; `text` is what the model reads."""

    text: str
    failed: bool = False
    #: It shows something that only local models may see: so does all that is said with it.
    local_only: bool = False
    #: Other conversations that it quotes: it is for those alone who may open all of them.
    quotes: frozenset[str] = frozenset()
    #: Files that it quotes: what was quoted is deleted with any of them.
    files: frozenset[str] = frozenset()
    #: Memories that it quotes: the same holds.
    memories: frozenset[str] = frozenset()
    #: It was cut off, and nobody knows what it has done by then.
    unknown: bool = False
    #: All that it gave, where the model reads only a part.
    whole: str = ""
    #: What it drew, for the person to see.
    pictures: tuple[Image, ...] = ()
    tables: tuple[Table, ...] = ()
    #: Files of the project that it wrote.
    saved: tuple[SavedFile, ...] = ()
    #: Tasks and events that it wrote.
    written: tuple[WrittenItem, ...] = ()
    #: It is for nobody but the person on whose behalf it ran, whoever reads the conversation later.
    is_private: bool = False


def refused_output(error: TertuliaError) -> ToolOutput:
    """Return what a model is told of a call that was refused."""
    return ToolOutput(error.message, failed=True, is_private=error.is_personal)


@dataclass(frozen=True, slots=True)
class CallPreview:
    """A call as it will run: its arguments with every word on dates resolved, and what they come to.

    A tool has one where it has a method `preview(tx, arguments, caller)`, which returns its arguments as
    they will run with a summary that a person reads, or raises where the call cannot be run.
    """

    #: JSON.
    arguments: str
    summary: str = ""


class ToolSpec(Protocol[ArgumentsT]):
    """One tool: what it is called and does, and the doing."""

    @property
    def name(self) -> str:
        """What models call it."""
        ...

    @property
    def description(self) -> str:
        """What it is for, as a model is told."""
        ...

    @property
    def parameters(self) -> JsonObject:
        """Its arguments as a JSON schema."""
        ...

    @property
    def shape(self) -> type[ArgumentsT]:
        """What its arguments are read as."""
        ...

    @property
    def effect(self) -> Effect:
        """Whether it only looks."""
        ...

    async def run(self, arguments: ArgumentsT, caller: ToolCaller) -> ToolOutput:
        """Do it. A `TertuliaError` is told to the model in its own words."""
        ...


#: A tool, whatever its arguments are read as.
AnyTool = ToolSpec[Any]
