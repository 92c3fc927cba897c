"""Collecting from the database what one lane may be shown. Nothing is left out for size here.

It is read as the audience of the conversation (`conversations/audience.py`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tertulia.context.conversation_facts import read_facts
from tertulia.context.domain import (
    EMPTY_RECALL,
    ConversationFacts,
    FileList,
    PastRound,
    PinnedMessage,
    PromptInputs,
    PromptSettings,
    RecallResult,
    TitleFacts,
)
from tertulia.context.file_list import read_file_list
from tertulia.context.past_rounds import (
    continued_text,
    newest_attempts,
    table_of,
    to_current_round,
    to_past_round,
)
from tertulia.context.prompt_depth import depth_for
from tertulia.context.quoted_authors import list_quoted_authors, name_passages, name_points
from tertulia.conversations import marks, message_visibility, rounds
from tertulia.conversations.access import get_for_reading
from tertulia.conversations.author_names import AuthorNames
from tertulia.conversations.domain import (
    USER_SPEAKER,
    Conversation,
    Mark,
    Origin,
    Policy,
    Reply,
    ReplyKind,
    Round,
    Seat,
)
from tertulia.conversations.full_rounds import FullRound
from tertulia.conversations.message_visibility import Branch
from tertulia.conversations.reversal_notes import Quotation, note_reversals, write_notes
from tertulia.conversations.reversals import list_reversals
from tertulia.infra.db import Tx
from tertulia.memory import summaries
from tertulia.memory.domain import Summary
from tertulia.models.calls import Image
from tertulia.models.domain import Tier
from tertulia.projects import access as projects
from tertulia.projects.domain import Project
from tertulia.retrieval import sources

#: A program chooses by itself how much it sends; only the budget limits it.
PROGRAM_ROUNDS_MAX = 1_000
DEFAULT_PROMPT_SETTINGS = PromptSettings()


@dataclass(frozen=True, slots=True)
class DraftQuestion:
    """A question that is only written so far."""

    text: str
    seat: Seat
    table: tuple[str, ...]
    policy: Policy = Policy.EVERYONE
    conversation_id: str | None = None
    project_id: str | None = None
    #: Who would ask it.
    author_id: str = ""
    #: The message it would follow: the question, or one chosen reply, of the round before.
    parent_id: str | None = None
    round_before: str | None = None
    images: tuple[Image, ...] = ()


@dataclass(frozen=True, slots=True)
class BranchPosition:
    """Where a question is asked, and what is known there."""

    conversation: Conversation | None
    project: Project | None
    #: The rounds before the question, oldest first, and the message that each was followed from.
    before: list[FullRound]
    followed: list[str | None]
    number: int
    summary: Summary | None = None
    #: The message from which one went on after the last round of the summary.
    after_summary: str | None = None
    #: The last round that there is so far: the one asked in, or the one before.
    last: str | None = None

    @property
    def for_program(self) -> bool:
        """Tell whether a program asks."""
        return self.conversation is not None and self.conversation.origin is Origin.API

    @property
    def branch(self) -> Branch | None:
        """Return the branch that the question belongs to."""
        return Branch(self.conversation.id, self.last) if self.conversation else None


def gather_inputs(
    tx: Tx, reply: Reply, *, tier: Tier, memory: RecallResult = EMPTY_RECALL, can_read: bool = False
) -> PromptInputs:
    """Return the inputs for the prompt of a reply that is about to be written."""
    conversation = get_for_reading(tx, reply.conversation_id)
    place = read_position(tx, conversation, last=reply.round_id, tier=tier, asked=True)
    full = place.before.pop()
    return build_inputs(
        tx,
        place,
        now=to_current_round(tx, full, reply),
        author_id=full.round.author_id,
        seat=Seat(
            reply.lane if reply.kind is ReplyKind.ANSWER else reply.model,
            reply.model,
            reply.effort,
            reply.temperature,
            reply.output_limit,
            tuple(reply.leave_out),
        ),
        kind=reply.kind,
        policy=full.round.policy,
        table=table_of(full),
        begun=continued_text(tx, full, reply),
        begun_id=reply.continues or "",
        memory=memory,
        can_read=can_read,
    )


def gather_draft_inputs(
    tx: Tx, draft: DraftQuestion, *, tier: Tier, memory: RecallResult = EMPTY_RECALL, can_read: bool = False
) -> PromptInputs:
    """Return the inputs for the prompt of a question that was not sent yet."""
    conversation = get_for_reading(tx, draft.conversation_id) if draft.conversation_id else None
    if conversation is not None and draft.round_before is not None:
        place = read_position(tx, conversation, last=draft.round_before, tier=tier, asked=False)
        place.followed[-1:] = [draft.parent_id] if place.followed else []
        if place.summary and place.summary.round_id == draft.round_before:
            place = replace(place, after_summary=draft.parent_id)
    else:
        project_id = conversation.project_id if conversation else draft.project_id
        place = BranchPosition(conversation, find_project(tx, project_id), [], [], 1)
    return build_inputs(
        tx,
        place,
        now=PastRound(draft.text, images=draft.images, number=place.number),
        author_id=draft.author_id,
        seat=draft.seat,
        kind=ReplyKind.ANSWER,
        policy=draft.policy,
        table=draft.table,
        begun=("", ""),
        begun_id="",
        memory=memory,
        can_read=can_read,
    )


def read_position(
    tx: Tx, conversation: Conversation, *, last: str, tier: Tier, asked: bool
) -> BranchPosition:
    """Return where a question stands that is asked in the round `last`, or after it."""
    project = find_project(tx, conversation.project_id)
    summary = summaries.find_current_summary(tx, conversation.id, last)
    most = PROGRAM_ROUNDS_MAX
    if conversation.origin is not Origin.API:
        depth = depth_for(tier, resolve_prompt_settings(conversation, project), can_read=False)
        most = depth.rounds + depth.rounds_dropped_at_once
    path = rounds.list_branch_rounds(tx, conversation.id, last_round_id=last, limit=most + 1)
    hidden = summary.watermark if summary else 0
    full = rounds.fill_rounds(tx, [round_ for round_ in path if round_.number > hidden or round_.id == last])
    followed = [full_round.question.parent_id for full_round in full[1:]] + [None]
    number = full[-1].round.number + (0 if asked else 1) if full else 1
    after = find_continued_from(tx, summary, path) if summary else None
    return BranchPosition(conversation, project, full, followed, number, summary, after, last)


def build_inputs(
    tx: Tx,
    place: BranchPosition,
    *,
    now: PastRound,
    author_id: str,
    seat: Seat,
    kind: ReplyKind,
    policy: Policy,
    table: tuple[str, ...],
    begun: tuple[str, str],
    begun_id: str,
    memory: RecallResult,
    can_read: bool,
) -> PromptInputs:
    """Return the inputs for a prompt at a position of a branch."""
    conversation, project = place.conversation, place.project
    own = (project.instructions if project else "", conversation.instructions if conversation else "")
    known = read_marks(tx, conversation)
    memory = drop_hidden_passages(tx, memory)
    quoted = list_quoted_authors(memory.found)
    facts, names = (
        (ConversationFacts(), AuthorNames())
        if place.for_program
        else read_facts(tx, conversation, project, author_id=author_id, quoted=quoted)
    )
    return PromptInputs(
        lane=seat.lane,
        model=seat.model,
        kind=kind,
        policy=policy,
        table=table,
        past=tuple(
            replace(to_past_round(tx, full, follower), author=names.here.get(full.round.author_id, ""))
            for full, follower in zip(place.before, place.followed, strict=False)
        ),
        now=replace(now, author=names.here.get(author_id, "")),
        earlier=place.before[0].round.number - 1 if place.before else 0,
        facts=facts,
        brief=project.brief if project else "",
        instructions=tuple(text for text in own if text),
        file_list=file_list_at(tx, place),
        points=name_points(tx, place.summary.points if place.summary else (), names.here),
        passed_over=find_superseded_replies(tx, place, now) | find_superseded_title(tx, place, facts.title),
        summary_id=place.summary.id if place.summary else "",
        pinned=pinned_messages(tx, place, known, names.here),
        excluded=known[Mark.EXCLUDED],
        local_messages=known[Mark.LOCAL_ONLY],
        memory=replace(memory, found=name_passages(memory.found, names.quoted)),
        prompt_settings=DEFAULT_PROMPT_SETTINGS
        if place.for_program
        else resolve_prompt_settings(conversation, project),
        begun=begun[0],
        begun_work=begun[1],
        begun_id=begun_id,
        effort=seat.effort,
        temperature=seat.temperature,
        output_limit=seat.output_limit,
        leave_out=frozenset(seat.leave_out),
        asked_out=message_visibility.messages_of_items(tx, seat.leave_out),
        can_read=can_read,
        cache_key=f"{conversation.id}/{seat.lane}" if conversation else "",
        for_program=place.for_program,
    )


def drop_hidden_passages(tx: Tx, memory: RecallResult) -> RecallResult:
    """Return what was looked up without what its audience may not see any more."""
    visible = sources.filter_visible_sources(
        tx, {recalled_passage.passage.source_id for recalled_passage in memory.found}
    )
    return replace(
        memory,
        found=tuple(
            recalled_passage
            for recalled_passage in memory.found
            if recalled_passage.passage.source_id in visible
        ),
    )


def file_list_at(tx: Tx, place: BranchPosition) -> FileList:
    """Return the files that a prompt lists; a program is told of none."""
    if place.for_program:
        return FileList()
    conversation, project = place.conversation, place.project
    return read_file_list(tx, project.id if project else None, conversation.id if conversation else None)


def find_superseded_replies(tx: Tx, place: BranchPosition, now: PastRound) -> frozenset[str]:
    """Return the replies that were summarised and do not count here any more."""
    if place.summary is None:
        return frozenset()
    others = rounds.find_reply_ids(tx, place.summary.round_id)
    if place.summary.round_id != now.id:
        others = others - {place.after_summary} if place.after_summary in others else frozenset[str]()
    told = message_visibility.find_superseded_messages(
        tx, summarised_replies(place.summary), branch=place.branch
    )
    return others | replaced_replies(place) | told


def find_superseded_title(tx: Tx, place: BranchPosition, title: TitleFacts) -> frozenset[str]:
    """Return those messages that the title was made of which do not count here any more."""
    if not title.sources:
        return frozenset()
    return message_visibility.find_superseded_messages(tx, title.sources, branch=place.branch)


def summarised_replies(summary: Summary) -> list[str]:
    """Return the replies that the points of a summary come from."""
    told = (zip(point.sources, point.speakers, strict=True) for point in summary.points)
    return list({source for sources in told for source, speaker in sources if speaker != USER_SPEAKER})


def replaced_replies(place: BranchPosition) -> frozenset[str]:
    """Return the replies to the latest rounds that were asked for again, or passed over for another."""
    hidden: set[str] = set()
    for full, follower in zip(place.before, place.followed, strict=False):
        every = {answer.reply.id for answer in full.answers}
        newest = {answer.reply.id for answer in newest_attempts(full.answers)}
        hidden |= every - ({follower} if follower in every else newest)
    return frozenset(hidden)


def find_continued_from(tx: Tx, summary: Summary, path: Sequence[Round]) -> str | None:
    """Return the message from which a branch went on after the last round that a summary covers."""
    wanted = summary.round_number + 1
    if not path or path[-1].number < wanted:
        return None
    if path[0].number > wanted:
        limit = path[-1].number - summary.round_number
        path = rounds.list_branch_rounds(tx, summary.conversation_id, last_round_id=path[-1].id, limit=limit)
    after = next((round_ for round_ in path if round_.number == wanted), None)
    return rounds.get_question_without_texts(tx, after.id).parent_id if after else None


def find_project(tx: Tx, project_id: str | None) -> Project | None:
    """Return a project, if there is one to speak of."""
    return projects.get(tx, project_id) if project_id else None


def resolve_prompt_settings(conversation: Conversation | None, project: Project | None) -> PromptSettings:
    """Return how much is to be shown: as the conversation says, else as the project does."""
    own = conversation.context if conversation else None
    settings = project.settings if project else None
    usual = DEFAULT_PROMPT_SETTINGS
    if settings is not None:
        usual = PromptSettings(
            settings.context_strategy,
            settings.context_level,
            settings.max_context_tokens,
            settings.context_tools,
        )
    return PromptSettings(
        strategy=(own.strategy if own else None) or usual.strategy,
        level=(own.level if own else None) or usual.level,
        max_tokens=(own.max_tokens if own else None) or usual.max_tokens,
        tools=(own.tools if own else None) or usual.tools,
    )


def read_prompt_settings(tx: Tx, conversation: Conversation) -> PromptSettings:
    """Return how much is to be shown in a conversation."""
    return resolve_prompt_settings(conversation, find_project(tx, conversation.project_id))


def read_marks(tx: Tx, conversation: Conversation | None) -> dict[Mark, frozenset[str]]:
    """Return the messages of a conversation by their marks.

    A question that is left out takes the replies to it along, but for those that are pinned.
    """
    if conversation is None:
        return dict.fromkeys(Mark, frozenset())
    found = marks.list_marks(tx, conversation.id)
    known = {
        mark: frozenset(message_mark.message_id for message_mark in found if message_mark.mark is mark)
        for mark in Mark
    }
    return known | {
        Mark.EXCLUDED: message_visibility.include_replies(tx, known[Mark.EXCLUDED]) - known[Mark.PINNED]
    }


def pinned_messages(
    tx: Tx, place: BranchPosition, known: dict[Mark, frozenset[str]], names: Mapping[str, str]
) -> tuple[PinnedMessage, ...]:
    """Return the pinned messages of a branch, oldest first."""
    if place.conversation is None or not known[Mark.PINNED]:
        return ()
    found = marks.find_marked_messages(tx, place.conversation.id, Mark.PINNED)
    here = message_visibility.filter_rounds_on_branch(
        tx, {marked_message.round_id for marked_message in found}, branch=place.branch
    )
    reversals = list_reversals(tx, [place.conversation.id], branch=place.branch)
    return tuple(
        PinnedMessage(
            id=marked_message.id,
            speaker=marked_message.lane or USER_SPEAKER,
            text=marked_message.content,
            round_id=marked_message.round_id,
            round_number=marked_message.number,
            local_only=marked_message.id in known[Mark.LOCAL_ONLY],
            author="" if marked_message.lane else names.get(marked_message.author_id, ""),
            note=write_notes(
                note_reversals(to_pin_quotation(marked_message, place.conversation), reversals), names
            ),
        )
        for marked_message in found
        if marked_message.round_id in here
    )


def to_pin_quotation(message: marks.MarkedMessage, conversation: Conversation) -> Quotation:
    """Return a pinned message as something that is quoted."""
    return Quotation(
        message.content,
        message.id,
        conversation.id,
        message.number,
        said_at=conversation.created_at,
        author_id="" if message.lane else message.author_id,
    )
