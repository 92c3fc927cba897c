"""After a crash: replies that were begun are kept as interrupted, those that were not are begun."""

from dataclasses import asdict, replace
from functools import partial

from tertulia.conversations import rounds
from tertulia.conversations.domain import Reply, ReplyStatus
from tertulia.conversations.reading import heard_so_far
from tertulia.core.clock import now
from tertulia.core.threads import run_by_length
from tertulia.infra.db import Tx
from tertulia.models.calls import Usage
from tertulia.models.prices import cost
from tertulia.models.tokens import count
from tertulia.turns import closing, store
from tertulia.turns.desk import Desk
from tertulia.turns.domain import Charge, Run
from tertulia.turns.draft import Draft
from tertulia.turns.errors import LostToCrash
from tertulia.turns.run import as_problem, estimated_usage

#: What a reply is while its model is not being heard.
NOT_SPEAKING = (ReplyStatus.QUEUED, ReplyStatus.WAITING)


async def count_output(reply_id: str, desk: Desk) -> int:
    """Return the tokens of what was heard of a reply: counting takes long, and nobody can write meanwhile."""

    def read(tx: Tx) -> tuple[str, str]:
        run = store.find_anyones(tx, reply_id)
        acting = tx.acting_for(run.principal) if run else None
        reply = rounds.find_reply(acting, reply_id) if acting else None
        if acting is None or reply is None or reply.status in NOT_SPEAKING:
            return "", ""
        return reply.model, "".join(heard_so_far(acting, reply))

    model, heard = await desk.db.read(read, by=None)
    return await run_by_length(partial(count, heard, model), chars=len(heard)) if heard else 0


def recover(tx: Tx, run: Run, desk: Desk, *, output: int = 0) -> Draft | None:
    """Close a reply that was lost in the middle, with the tokens of its output; return one that can go on."""
    acting = tx.acting_for(run.principal)
    reply = rounds.find_reply(acting, run.reply_id)
    if reply is None:
        return None
    if reply.status in NOT_SPEAKING and not run.stop_requested:
        return draft_of(acting, reply)
    keep_interrupted(acting, reply, run, desk, output=output)
    return None


def draft_of(tx: Tx, reply: Reply) -> Draft:
    """Return a reply with all that was heard of it, to be gone on with."""
    begun, thought = heard_so_far(tx, reply)
    return Draft(reply, by=tx.by, begun=begun, thought=thought)


def keep_interrupted(tx: Tx, reply: Reply, run: Run, desk: Desk, *, output: int = 0) -> None:
    """Close a reply with all the text that anyone has seen of it; one that waited knows what it has used."""
    text, thinking = heard_so_far(tx, reply)
    status = ReplyStatus.STOPPED if run.stop_requested else ReplyStatus.INTERRUPTED
    usage = Usage(**reply.usage) if reply.usage else None  # what it had used when it waited for a person
    if usage is None or reply.status is not ReplyStatus.WAITING:
        usage = estimated_usage(usage, asked=run.asked_tokens, output=output, prices=run.prices)
    interrupted = replace(
        reply,
        status=status,
        error=None if run.stop_requested else as_problem(LostToCrash()),
        usage=asdict(usage),
        cost=cost(usage, run.prices),
        finished_at=now(),
    )
    # The provider may bill the whole of what was set aside, and we cannot know: so limits count it.
    charge = Charge(run.reserved, run.personal)
    closing.close(tx, interrupted, text=text, thinking=thinking, charge=charge, events=desk.events)
