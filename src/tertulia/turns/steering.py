"""Steering: people tell models at work a word, which each hears at its next step."""

from collections.abc import Sequence

from tertulia.conversations import access, rounds
from tertulia.conversations.domain import Note, Reply
from tertulia.conversations.events import ReplyNoted, encode_event
from tertulia.conversations.views import NoteView
from tertulia.core.ids import new_id
from tertulia.core.principal import Principal
from tertulia.core.view import view_as
from tertulia.infra.db import Tx
from tertulia.turns import store
from tertulia.turns.errors import NotYourApproval, ReplyAlreadyFinished
from tertulia.turns.idempotency import IdempotentRequest, find_earlier_ids, record_request
from tertulia.turns.services import TurnServices


class Steering:
    """Takes in what people tell models at work."""

    def __init__(self, services: TurnServices) -> None:
        self._services = services

    async def add_note(self, reply_id: str, text: str, *, key: str | None = None, by: Principal) -> Note:
        """Tell one model at work something, which reaches it at its next step."""
        request = IdempotentRequest.of(key, "steer", reply_id, text)

        def keep(tx: Tx) -> Note:
            reply = access.get_reply(tx, reply_id)
            access.get_for_writing(tx, reply.conversation_id)
            if (earlier := find_earlier_ids(tx, request)) is not None:
                return notes_with_ids(earlier, [reply])[0]
            if reply.status.is_final:
                raise ReplyAlreadyFinished
            if not is_callers_reply(tx, reply):
                raise NotYourApproval
            note = self._keep_note(tx, reply, text)
            record_request(tx, request, reply.conversation_id, [note.id])
            return note

        return await self._services.db.write(keep, by=by)

    async def add_note_to_round(
        self, round_id: str, text: str, *, key: str | None = None, by: Principal
    ) -> list[Note]:
        """Tell every model that is at work in a round."""
        request = IdempotentRequest.of(key, "steer_all", round_id, text)

        def keep(tx: Tx) -> list[Note]:
            full = rounds.get_full_round(tx, access.get_round(tx, round_id))
            access.get_for_writing(tx, full.round.conversation_id)
            if (earlier := find_earlier_ids(tx, request)) is not None:
                return notes_with_ids(earlier, [answer.reply for answer in full.answers])
            at_work = [answer.reply for answer in full.answers if not answer.reply.status.is_final]
            if not at_work:
                raise ReplyAlreadyFinished
            own = [reply for reply in at_work if is_callers_reply(tx, reply)]
            if not own:
                raise NotYourApproval
            notes = [self._keep_note(tx, reply, text) for reply in own]
            record_request(tx, request, full.round.conversation_id, [note.id for note in notes])
            return notes

        return await self._services.db.write(keep, by=by)

    def _keep_note(self, tx: Tx, reply: Reply, text: str) -> Note:
        note = Note(new_id("not"), text)
        rounds.add_note(tx, reply, note)
        self._services.events.append(
            tx, reply.conversation_id, [encode_event(ReplyNoted(reply.id, view_as(NoteView, note)))]
        )
        return note


def is_callers_reply(tx: Tx, reply: Reply) -> bool:
    """Tell whether a reply is being written on behalf of the caller."""
    run = store.find_run(tx, reply.id)
    return run is not None and run.principal.user_id == tx.by.user_id


def notes_with_ids(ids: Sequence[str], replies: Sequence[Reply]) -> list[Note]:
    """Return the notes with these ids, in the order of the replies that they were told to."""
    return [note for reply in replies for note in reply.notes if note.id in ids]
