"""What of a search's hits a model may be shown."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tertulia.conversations import marks, rounds
from tertulia.conversations.domain import USER, Mark
from tertulia.files import store
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

    Gone are files that tools may not open, messages that a person left out, replies that
    were passed over for another, the round that is being answered, and what is for local models.
    """
    local = local_files(tx, hits, caller) | local_messages(tx, hits, caller)
    shown = [one for one in hits if one.source_id in local]
    return [Finding(one, local[one.source_id]) for one in untitled(tx, shown, caller)]


def untitled(tx: Tx, hits: Sequence[Candidate], caller: Caller) -> list[Candidate]:
    """Return hits without titles that may be made of words for local models alone."""
    if caller.model_is_local:
        return list(hits)
    hidden = marks.with_local_words(tx, {one.conversation_id for one in hits if one.conversation_id})
    return [replace(one, title="") if one.conversation_id in hidden else one for one in hits]


def local_files(tx: Tx, hits: Sequence[Candidate], caller: Caller) -> dict[str, bool]:
    """Return the files that may be shown, and whether each is for local models alone."""
    paths = {one.source_id: one.path for one in hits if one.kind is SourceKind.FILE}
    files = [store.at(tx, caller.project_id or "", path) for path in paths.values()]
    return {
        file.id: file.local_only
        for file in files
        if file and file.id in paths and file.retrieval_eligible and may_be_shown(file, caller)
    }


def local_messages(tx: Tx, hits: Sequence[Candidate], caller: Caller) -> dict[str, bool]:
    """Return the messages that may be shown, and whether each is for local models alone."""
    said = {one.source_id: one for one in hits if one.kind is SourceKind.MESSAGE}
    marked = marks.of(tx, list(said))
    gone = rounds.passed_over(tx, list(said)) | {id_ for id_, own in marked.items() if Mark.EXCLUDED in own}
    gone |= {id_ for id_, one in said.items() if one.round_id == caller.round_id}
    gone |= of_others(tx, said, caller)
    local = {id_: Mark.LOCAL_ONLY in marked.get(id_, ()) for id_ in said if id_ not in gone}
    return {id_: own for id_, own in local.items() if caller.model_is_local or not own}


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
