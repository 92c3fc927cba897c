"""Collecting from the database what one lane may be shown. Nothing is left out for size here.

It is read as the audience of the conversation (`conversations/audience.py`).
"""

from dataclasses import dataclass, replace

from tertulia.context.branch_position import BranchPosition, read_position
from tertulia.context.conversation_facts import read_facts
from tertulia.context.domain import (
    EMPTY_RECALL,
    ConversationFacts,
    FileList,
    PastRound,
    PromptInputs,
    RecalledPassage,
    RecallResult,
    TitleFacts,
)
from tertulia.context.file_list import read_file_list
from tertulia.context.known_facts import KnownFact, read_known_facts
from tertulia.context.marked_messages import pinned_messages, read_marks
from tertulia.context.past_rounds import (
    continued_text,
    newest_attempts,
    table_of,
    to_current_round,
    to_past_round,
)
from tertulia.context.prompt_settings import (
    DEFAULT_PROMPT_SETTINGS,
    find_project,
    resolve_prompt_settings,
)
from tertulia.context.quoted_authors import list_quoted_authors, name_passages, name_points
from tertulia.context.superseded_statements import note_superseded_statements
from tertulia.conversations import message_visibility, rounds
from tertulia.conversations.access import get_for_reading
from tertulia.conversations.author_names import AuthorNames
from tertulia.conversations.domain import (
    USER_SPEAKER,
    Mark,
    Policy,
    Reply,
    ReplyKind,
    Seat,
)
from tertulia.entities.domain import Entity
from tertulia.entities.reader import list_for_prompt as list_entities_for_prompt
from tertulia.infra.db import Tx
from tertulia.memory.domain import Summary
from tertulia.models.calls import Image
from tertulia.models.domain import Tier
from tertulia.retrieval import sources


@dataclass(frozen=True, slots=True)
class DraftQuestion:
    """A question that is only written so far."""

    text: str
    seat: Seat
    table: tuple[str, ...]
    policy: Policy = Policy.EVERYONE
    conversation_id: str | None = None
    project_id: str | None = None
    #: It would begin a temporary conversation.
    temporary: bool = False
    #: Who would ask it.
    author_id: str = ""
    #: The message it would follow: the question, or one chosen reply, of the round before.
    parent_id: str | None = None
    round_before: str | None = None
    images: tuple[Image, ...] = ()


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
        is_temporary = conversation.is_temporary if conversation else draft.temporary
        project = find_project(tx, project_id)
        place = BranchPosition(conversation, project, [], [], 1, is_temporary=is_temporary)
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
        memory=replace(memory, found=passages_at(tx, place, name_passages(memory.found, names.quoted))),
        known=known_facts_at(tx, place, memory, now.question),
        entities=entities_at(tx, place, now.question),
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


def passages_at(
    tx: Tx, place: BranchPosition, found: tuple[RecalledPassage, ...]
) -> tuple[RecalledPassage, ...]:
    """Return passages with what is remembered in the place of what they quote, where memories are told."""
    if place.for_program or place.is_temporary:
        return found
    return note_superseded_statements(tx, found, project_id=place.project.id if place.project else None)


def known_facts_at(
    tx: Tx, place: BranchPosition, memory: RecallResult, question: str
) -> tuple[KnownFact, ...]:
    """Return what is known of the person who asks; programs and temporary conversations are told nothing."""
    if place.for_program or place.is_temporary:
        return ()
    project_id = place.project.id if place.project else None
    return read_known_facts(tx, project_id=project_id, found=memory.found_memories, question=question)


def entities_at(tx: Tx, place: BranchPosition, question: str) -> tuple[Entity, ...]:
    """Return what was named in a conversation; a program sends all that counts itself."""
    if place.for_program or place.conversation is None:
        return ()
    return tuple(list_entities_for_prompt(tx, place.conversation.id, place.branch, question=question))


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
