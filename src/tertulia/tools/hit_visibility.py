"""What of a search's hits a model may be shown."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tertulia.conversations import marks, rounds
from tertulia.conversations.author_names import find_author_names
from tertulia.conversations.conversation_labels import conversation_name, find_labels
from tertulia.conversations.domain import USER_SPEAKER, Mark
from tertulia.conversations.message_origins import find_author_ids
from tertulia.conversations.message_visibility import Branch, find_hidden_messages, messages_of_items
from tertulia.conversations.reversal_notes import ReversalNote, note_candidates, write_notes
from tertulia.files.attachments import find_in_conversation
from tertulia.files.citations import find_cited_files
from tertulia.infra.db import Tx
from tertulia.retrieval.candidates import Candidate
from tertulia.retrieval.sources import SourceKind
from tertulia.tools.domain import ToolCaller
from tertulia.tools.file_access import can_show


@dataclass(frozen=True, slots=True)
class VisibleHit:
    """A passage that may be shown, whether only to local models, and that it was taken back if it was."""

    candidate: Candidate
    local_only: bool
    #: That it was taken back later, and in which words.
    note: str = ""
    #: Of a file, the page, slide or sheet.
    page: str = ""
    #: Of talk, what its conversation is called.
    conversation: str = ""
    #: What the person is called who said it, where several are told of.
    author: str = ""


def filter_visible_hits(tx: Tx, hits: Sequence[Candidate], caller: ToolCaller) -> list[VisibleHit]:
    """Return the hits that may be shown, in their order.

    Gone are files that tools may not open or that are attached to another conversation, messages
    that a person left out, what stands on another branch or was passed over, the round that is
    being answered, what the person asked this reply to go without, and what is for local models.
    """
    local = visible_files(tx, hits, caller) | visible_messages(tx, hits, caller)
    shown = [hit for hit in hits if hit.source_id in local]
    files = find_cited_files(tx, (hit.source_id for hit in shown if hit.kind is SourceKind.FILE))
    names = name_conversations(tx, shown, caller)
    authors = find_author_ids(tx, [hit.source_id for hit in shown if hit.kind is SourceKind.MESSAGE])
    notes = note_candidates(tx, shown, authors=authors, branch=branch_of(caller))
    people = name_quoted_people(tx, authors.values(), notes.values(), caller)
    return [
        VisibleHit(
            hit,
            local[hit.source_id],
            write_notes(notes.get(hit.chunk, ()), people),
            page=files[hit.source_id].page_label(hit.start_line, hit.end_line)
            if hit.source_id in files
            else "",
            conversation=names.get(hit.conversation_id or "", ""),
            author=people.get(authors.get(hit.source_id, ""), ""),
        )
        for hit in shown
    ]


def name_quoted_people(
    tx: Tx, authors: Iterable[str], notes: Iterable[Sequence[ReversalNote]], caller: ToolCaller
) -> dict[str, str]:
    """Return what the people are called whose words hits quote, where more than one is told of."""
    quoted = {*authors, *(note.author_id for beside in notes for note in beside)}
    if not quoted:
        return {}
    here = rounds.list_author_ids(tx, caller.conversation_id) if caller.conversation_id else []
    return find_author_names(tx, here or [caller.by.user_id], quoted).quoted


def name_conversations(tx: Tx, hits: Sequence[Candidate], caller: ToolCaller) -> dict[str, str]:
    """Return what the conversations of hits are called, in no words that this reply goes without."""
    ids = {hit.conversation_id for hit in hits if hit.kind is SourceKind.MESSAGE and hit.conversation_id}
    if not ids:
        return {}
    labels, without = find_labels(tx, ids), messages_of_items(tx, left_out_items(tx, caller))
    told = {id_: label for id_, label in labels.items() if label.message_id not in without}
    return {id_: conversation_name(told.get(id_), is_here=id_ == caller.conversation_id) for id_ in ids}


def visible_files(tx: Tx, hits: Sequence[Candidate], caller: ToolCaller) -> dict[str, bool]:
    """Return the files that may be shown, and whether each is for local models alone."""
    paths = {hit.source_id: hit.path for hit in hits if hit.kind is SourceKind.FILE}
    files = [
        find_in_conversation(tx, caller.project_id, caller.conversation_id, path) for path in paths.values()
    ]
    return {
        file.id: file.local_only
        for file in files
        if file and file.id in paths and file.retrieval_eligible and can_show(file, caller)
    }


def visible_messages(tx: Tx, hits: Sequence[Candidate], caller: ToolCaller) -> dict[str, bool]:
    """Return the messages that may be shown, and whether each is for local models alone."""
    said = {hit.source_id: hit for hit in hits if hit.kind is SourceKind.MESSAGE}
    marked = marks.find_marks(tx, list(said))
    gone = find_hidden_messages(tx, list(said), branch=branch_of(caller))
    gone |= {id_ for id_, candidate in said.items() if candidate.round_id == caller.round_id}
    gone |= messages_of_items(tx, left_out_items(tx, caller))
    gone |= replies_of_other_lanes(tx, said, caller)
    local = {id_: Mark.LOCAL_ONLY in marked.get(id_, ()) for id_ in said if id_ not in gone}
    return {id_: own for id_, own in local.items() if caller.model_is_local or not own}


def branch_of(caller: ToolCaller) -> Branch | None:
    """Return the branch that is being answered; over MCP there is none."""
    return Branch(caller.conversation_id, caller.round_id) if caller.round_id else None


def left_out_items(tx: Tx, caller: ToolCaller) -> list[str]:
    """Return what the person asked this reply to go without."""
    reply = rounds.find_reply(tx, caller.reply_id) if caller.reply_id else None
    return reply.leave_out if reply else []


def replies_of_other_lanes(tx: Tx, said: dict[str, Candidate], caller: ToolCaller) -> set[str]:
    """Return the replies that a lane does not hear which hears only its own."""
    if not caller.only_lane:
        return set()
    lanes = rounds.find_lanes(tx, list(said))

    def is_own(candidate: Candidate) -> bool:
        if candidate.conversation_id == caller.conversation_id:
            return lanes.get(candidate.source_id) == caller.only_lane
        return candidate.speaker == caller.only_speaker

    return {
        id_ for id_, candidate in said.items() if candidate.speaker != USER_SPEAKER and not is_own(candidate)
    }
