"""What people do in a round: ask, edit, regenerate, continue, merge, judge, stop."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial

import msgspec

from tertulia.accounts import workspaces
from tertulia.context import receipts
from tertulia.conversations import access, event_publisher, rounds
from tertulia.conversations.conversation_reader import read_partial_texts
from tertulia.conversations.domain import Conversation, Reply, ReplyKind, ReplyStatus, Seat
from tertulia.conversations.errors import ConversationStays, NothingToContinue, StillRunning
from tertulia.conversations.full_rounds import FullRound, ReplyWithMessage
from tertulia.conversations.message_pictures import add_attachment
from tertulia.conversations.question_title import create_titled, title_by_question
from tertulia.conversations.round_writer import NewQuestion, add_reply, open_round
from tertulia.core.principal import Principal, Role
from tertulia.core.threads import run_in_thread_if_long
from tertulia.infra.courier.news import StopRequested
from tertulia.infra.db import Tx
from tertulia.infra.events.log import last_seq
from tertulia.models.catalogue import ResolvedModel
from tertulia.models.errors import ModelUnknown, ProviderError
from tertulia.turns import store
from tertulia.turns.billing import check_spending_limits
from tertulia.turns.concurrency import check_concurrent_replies
from tertulia.turns.domain import Ask
from tertulia.turns.errors import NothingToMerge, ShuttingDown
from tertulia.turns.idempotency import IdempotentRequest, find_earlier_ids, record_request
from tertulia.turns.recovery import close_cut_off
from tertulia.turns.reply_draft import ReplyDraft
from tertulia.turns.runner import ReplyRunner
from tertulia.turns.seats import SeatedModels, find_seats, invited_models_of
from tertulia.turns.services import TurnServices

CONTINUABLE_STATUSES = (ReplyStatus.INTERRUPTED, ReplyStatus.STOPPED, ReplyStatus.FAILED)


@dataclass(frozen=True, slots=True)
class OpenedRound:
    """A round that was opened or added to; its news comes in the events after `last_event_id`."""

    conversation: Conversation
    round: FullRound
    last_event_id: int
    #: What replies that are still being written have said, up to that event.
    heard: Mapping[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    #: The reply that was added to the round, where one was.
    added: str = ""


class Turns:
    """The verbs of a round, with what they need."""

    def __init__(self, services: TurnServices, runner: ReplyRunner) -> None:
        self._services = services
        self._runner = runner

    async def start_turn(
        self, ask: Ask, *, request: IdempotentRequest | None = None, by: Principal
    ) -> OpenedRound:
        """Open a round for `ask` and queue its replies: all of it happens, or none; once a key."""
        by.require(Role.MEMBER)
        if request is None:
            body_hash = await run_in_thread_if_long(partial(hash_ask, ask), chars=len(ask.message))
            request = IdempotentRequest(ask.idempotency_key, body_hash)
        if again := await self.find_earlier(request, by=by):
            return again
        self._check_not_draining()
        most = self._services.settings.models_per_round
        seating = await find_seats(
            ask, by=by, db=self._services.db, models=self._services.models, max_models=most
        )
        return await self._services.db.write(lambda tx: self._open_round(tx, ask, seating, request), by=by)

    async def edit_question(self, round_id: str, ask: Ask, *, by: Principal) -> OpenedRound:
        """Ask a question anew with other words: a branch beside the old one, which stays."""

        def place(tx: Tx) -> Ask:
            round_ = access.get_round(tx, round_id)
            answers = rounds.get_full_round(tx, round_).answers
            question = rounds.get_question_without_texts(tx, round_id)
            return replace(
                ask,
                conversation_id=round_.conversation_id,
                parent_id=question.parent_id,
                invited=ask.invited or invited_models_of(answers),
            )

        request = IdempotentRequest.of(
            ask.idempotency_key, "edit", round_id, replace(ask, idempotency_key=None)
        )
        return await self.start_turn(await self._services.db.read(place, by=by), request=request, by=by)

    async def regenerate_reply(
        self,
        reply_id: str,
        *,
        model: str | None,
        leave_out: tuple[str, ...] = (),
        key: str | None = None,
        by: Principal,
    ) -> OpenedRound:
        """Have a reply written once more, by another model or without some of what it was shown."""
        request = IdempotentRequest.of(key, "regenerate", reply_id, model, leave_out)
        if again := await self.find_earlier(request, by=by):
            return again
        resolved = await self._services.models.resolve(model, by=by) if model else None
        known = resolved.model.id if resolved else None
        asked = [resolved] if resolved else await self._resolve_reply_model(reply_id, by=by)

        def seat(reply: Reply) -> Seat:
            lane = reply.lane if known in (None, reply.model) else str(known)
            return Seat(
                lane, known or reply.model, reply.effort, reply.temperature, reply.output_limit, leave_out
            )

        def add(tx: Tx) -> OpenedRound:
            if again := find_opened_before(tx, request):
                return again
            reply = access.get_reply(tx, reply_id)
            access.get_for_writing(tx, reply.conversation_id)
            if not reply.status.is_final:
                raise StillRunning
            receipts.check_leave_out(tx, reply.id, leave_out)
            return self._add_reply(tx, reply.round_id, seat(reply), asked, request, kind=reply.kind)

        self._check_not_draining()
        return await self._services.db.write(add, by=by)

    async def continue_reply(self, reply_id: str, *, key: str | None = None, by: Principal) -> OpenedRound:
        """Have a reply that was cut short go on; the new one begins with its text."""
        request = IdempotentRequest.of(key, "continue", reply_id)
        if again := await self.find_earlier(request, by=by):
            return again
        asked = await self._resolve_reply_model(reply_id, by=by)

        def add(tx: Tx) -> OpenedRound:
            if again := find_opened_before(tx, request):
                return again
            reply = access.get_reply(tx, reply_id)
            full = rounds.get_full_round(tx, access.get_round(tx, reply.round_id))
            newest = [answer for answer in full.answers if answer.reply.lane == reply.lane][-1]
            if newest.reply.id != reply.id or newest.reply.status not in CONTINUABLE_STATUSES:
                raise NothingToContinue
            left = tuple(reply.leave_out)
            seat = Seat(reply.lane, reply.model, reply.effort, reply.temperature, reply.output_limit, left)
            return self._add_reply(
                tx, reply.round_id, seat, asked, request, kind=reply.kind, continues=newest
            )

        self._check_not_draining()
        return await self._services.db.write(add, by=by)

    async def merge_or_judge(
        self, round_id: str, *, model: str, kind: ReplyKind, key: str | None = None, by: Principal
    ) -> OpenedRound:
        """Have one more model merge or judge the replies of a round."""
        request = IdempotentRequest.of(key, kind, round_id, model)
        if again := await self.find_earlier(request, by=by):
            return again
        resolved = await self._services.models.resolve(model, by=by)
        known = resolved.model.id

        def add(tx: Tx) -> OpenedRound:
            if again := find_opened_before(tx, request):
                return again
            full = rounds.get_full_round(tx, access.get_round(tx, round_id))
            answers = [answer for answer in full.answers if answer.reply.kind is ReplyKind.ANSWER]
            if not any(answer.message and answer.message.content for answer in answers):
                raise NothingToMerge
            return self._add_reply(
                tx, round_id, Seat(f"{kind}:{known}", known), [resolved], request, kind=kind
            )

        self._check_not_draining()
        return await self._services.db.write(add, by=by)

    async def stop_round(self, round_id: str, *, by: Principal) -> None:
        """Stop every reply of a round that is being written; what was said is kept."""

        def stop(tx: Tx) -> None:
            round_ = access.get_round(tx, round_id)
            access.get_for_writing(tx, round_.conversation_id)
            self._request_stop(tx, rounds.list_stored_replies(tx, round_.id))

        await self._services.db.write(stop, by=by)

    async def stop_reply(self, reply_id: str, *, by: Principal) -> None:
        """Stop one reply; what it said is kept."""

        def stop(tx: Tx) -> None:
            reply = access.get_reply(tx, reply_id)
            access.get_for_writing(tx, reply.conversation_id)
            self._request_stop(tx, [reply])

        await self._services.db.write(stop, by=by)

    def _check_not_draining(self) -> None:
        if self._runner.is_draining:
            raise ShuttingDown

    async def find_earlier(self, request: IdempotentRequest, *, by: Principal) -> OpenedRound | None:
        """Return what this request did when it came before, without asking anyone again."""
        if request.key is None:
            return None
        return await self._services.db.read(lambda tx: find_opened_before(tx, request), by=by)

    async def _resolve_reply_model(self, reply_id: str, *, by: Principal) -> list[ResolvedModel]:
        """Return who answers for the model of a reply; nobody where it is gone, as its attempt will say."""
        model = (await self._services.db.read(lambda tx: access.get_reply(tx, reply_id), by=by)).model
        try:
            return [await self._services.models.resolve(model, by=by)]
        except (ModelUnknown, ProviderError):
            return []

    def _open_round(self, tx: Tx, ask: Ask, seating: SeatedModels, request: IdempotentRequest) -> OpenedRound:
        if again := find_opened_before(tx, request):
            return again
        self._check_limits(tx, len(seating.seats), seating.resolved)
        log = self._services.events
        if ask.conversation_id is None:
            conversation = create_titled(
                tx, ask.message, project_id=ask.project_id, temporary=ask.temporary, log=log
            )
        else:
            conversation = access.get_for_writing(tx, ask.conversation_id)
            if ask.temporary and not conversation.is_temporary:
                raise ConversationStays
        question = NewQuestion(
            text=ask.message,
            seats=seating.seats,
            policy=ask.policy,
            parent_id=ask.parent_id,
            attachments=[add_attachment(tx, conversation.id, image) for image in ask.images],
        )
        full, conversation = open_round(tx, conversation, question, log=log)
        conversation = title_by_question(tx, conversation, log=log)
        self._queue_runs(tx, [answer.reply for answer in full.answers])
        record_request(tx, request, conversation.id, [full.round.id])
        event_publisher.publish_used(tx, conversation, log=log)
        return OpenedRound(conversation, full, last_seq(tx, conversation.id))

    def _add_reply(
        self,
        tx: Tx,
        round_id: str,
        seat: Seat,
        asked: list[ResolvedModel],
        request: IdempotentRequest,
        *,
        kind: ReplyKind,
        continues: ReplyWithMessage | None = None,
    ) -> OpenedRound:
        round_ = access.get_round(tx, round_id)
        access.get_for_writing(tx, round_.conversation_id)
        self._check_limits(tx, 1, asked)
        full = rounds.get_full_round(tx, round_)
        reply = add_reply(tx, full, seat, kind=kind, log=self._services.events, continues=continues)
        begun = continues.message.content if continues and continues.message else ""
        self._queue_runs(tx, [reply], begun=begun)
        record_request(tx, request, round_.conversation_id, [round_.id, reply.id])
        added_to = rounds.get_full_round(tx, round_)
        return replace(
            to_opened_round(tx, added_to), heard=read_partial_texts(tx, [added_to]), added=reply.id
        )

    def _check_limits(self, tx: Tx, lanes: int, asked: list[ResolvedModel]) -> None:
        workspace = workspaces.get_settings(tx)
        check_concurrent_replies(tx, lanes, settings=self._services.settings, workspace=workspace)
        check_spending_limits(tx, workspace, asked)

    def _queue_runs(self, tx: Tx, replies: list[Reply], *, begun: str = "") -> None:
        """Record the runs, and begin them as soon as they are safe."""
        for reply in replies:
            store.add_run(
                tx,
                reply_id=reply.id,
                conversation_id=reply.conversation_id,
                worker=self._runner.worker,
                lease_until=self._runner.lease_end(tx),
            )
        drafts = [ReplyDraft(reply, by=tx.by, text_before=begun) for reply in replies]
        tx.after_commit(lambda: self._runner.start(drafts))

    def _request_stop(self, tx: Tx, replies: list[Reply]) -> None:
        """Have whichever process writes these replies stop; what waits for a person is ended here."""
        running = [reply.id for reply in replies if not reply.status.is_final]
        store.request_stop(tx, running)
        for reply in replies:
            # Nobody works on a reply that waits, so it is ended here.
            if reply.status is ReplyStatus.WAITING and (run := store.find_run(tx, reply.id)):
                close_cut_off(tx, reply, run, self._services)
        tx.after_commit(lambda: self._services.courier.publish(StopRequested(tuple(running))))


def to_opened_round(tx: Tx, full: FullRound) -> OpenedRound:
    """Return a round with its conversation and where its news begins."""
    conversation = access.get_for_reading(tx, full.round.conversation_id)
    return OpenedRound(conversation, full, last_seq(tx, conversation.id))


def find_opened_before(tx: Tx, request: IdempotentRequest) -> OpenedRound | None:
    """Return the round that the same request opened or added to; raise when its key stands for another."""
    made = find_earlier_ids(tx, request)
    if made is None:
        return None
    round_id, *added = made
    full = rounds.get_full_round(tx, access.get_round(tx, round_id))
    conversation = access.get_for_reading(tx, full.round.conversation_id)
    first = min((answer.reply.first_seq for answer in full.answers), default=0)
    return OpenedRound(conversation, full, first, added="".join(added))


def hash_ask(ask: Ask) -> str:
    """Return what tells two messages apart: everything but the key."""
    return hashlib.sha256(msgspec.json.encode(replace(ask, idempotency_key=None))).hexdigest()
