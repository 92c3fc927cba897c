"""What of a search's hits a model may be shown."""

from collections.abc import Sequence
from dataclasses import dataclass

from tertulia.conversations import marks, rounds
from tertulia.conversations.domain import USER, Mark
from tertulia.conversations.standing import Branch, asked_out, fallen
from tertulia.files.attachments import find_in_conversation
from tertulia.infra.db import Tx
from tertulia.retrieval.candidates import Candidate
from tertulia.retrieval.sources import SourceKind
from tertulia.tools.domain import Caller
from tertulia.tools.shelf import may_be_shown


@dataclass(frozen=True, slots=True)
class Finding:
    """A passage that may be shown, and whether only to local models."""

    candidate: Candidate
    local_only: bool


def findings(tx: Tx, hits: Sequence[Candidate], caller: Caller) -> list[Finding]:
    """Return the hits that may be shown, in their order.

    Gone are files that tools may not open or that are attached to another conversation, messages
    that a person left out, what stands on another branch or was passed over, the round that is
    being answered, what the person asked this reply to go without, and what is for local models.
    """
    local = local_files(tx, hits, caller) | local_messages(tx, hits, caller)
    return [Finding(one, local[one.source_id]) for one in hits if one.source_id in local]


def local_files(tx: Tx, hits: Sequence[Candidate], caller: Caller) -> dict[str, bool]:
    """Return the files that may be shown, and whether each is for local models alone."""
    paths = {one.source_id: one.path for one in hits if one.kind is SourceKind.FILE}
    files = [
        find_in_conversation(tx, caller.project_id, caller.conversation_id, path) for path in paths.values()
    ]
    return {
        file.id: file.local_only
        for file in files
        if file and file.id in paths and file.retrieval_eligible and may_be_shown(file, caller)
    }


def local_messages(tx: Tx, hits: Sequence[Candidate], caller: Caller) -> dict[str, bool]:
    """Return the messages that may be shown, and whether each is for local models alone."""
    said = {one.source_id: one for one in hits if one.kind is SourceKind.MESSAGE}
    marked = marks.of(tx, list(said))
    gone = fallen(tx, list(said), here=branch_of(caller))
    gone |= {id_ for id_, one in said.items() if one.round_id == caller.round_id}
    gone |= asked_out(tx, wishes_of(tx, caller))
    gone |= of_others(tx, said, caller)
    local = {id_: Mark.LOCAL_ONLY in marked.get(id_, ()) for id_ in said if id_ not in gone}
    return {id_: own for id_, own in local.items() if caller.model_is_local or not own}


def branch_of(caller: Caller) -> Branch | None:
    """Return the branch that is being answered; over MCP there is none."""
    return Branch(caller.conversation_id, caller.round_id) if caller.round_id else None


def wishes_of(tx: Tx, caller: Caller) -> list[str]:
    """Return what the person asked this reply to go without."""
    reply = rounds.find_reply(tx, caller.reply_id) if caller.reply_id else None
    return reply.leave_out if reply else []


def of_others(tx: Tx, said: dict[str, Candidate], caller: Caller) -> set[str]:
    """Return the replies that a lane does not hear which hears only its own."""
    if not caller.only_lane:
        return set()
    lanes = rounds.lanes_of(tx, list(said))

    def is_own(one: Candidate) -> bool:
        if one.conversation_id == caller.conversation_id:
            return lanes.get(one.source_id) == caller.only_lane
        return one.speaker == caller.only_speaker

    return {id_ for id_, one in said.items() if one.speaker != USER and not is_own(one)}
