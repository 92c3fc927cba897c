"""After a crash: replies that were begun are kept as interrupted, those that were not are begun."""

from dataclasses import asdict, replace

from tertulia.conversations import rounds
from tertulia.conversations.domain import Reply, ReplyStatus
from tertulia.conversations.reading import heard_so_far
from tertulia.core.clock import now
from tertulia.infra.db import Tx
from tertulia.models.calls import Usage
from tertulia.models.prices import cost
from tertulia.models.tokens import count
from tertulia.turns import closing
from tertulia.turns.desk import Desk
from tertulia.turns.domain import Charge, Run
from tertulia.turns.draft import Draft
from tertulia.turns.errors import LostToCrash
from tertulia.turns.run import as_problem, estimated_usage


def recover(tx: Tx, run: Run, desk: Desk) -> Draft | None:
    """Close a reply that was lost in the middle; return one that was never begun."""
    acting = tx.acting_for(run.principal)
    reply = rounds.find_reply(acting, run.reply_id)
    if reply is None:
        return None
    if reply.status in (ReplyStatus.QUEUED, ReplyStatus.WAITING) and not run.stop_requested:
        return draft_of(acting, reply)
    keep_interrupted(acting, reply, run, desk)
    return None


def draft_of(tx: Tx, reply: Reply) -> Draft:
    """Return a reply with all that was heard of it, to be gone on with."""
    begun, thought = heard_so_far(tx, reply)
    return Draft(reply, by=tx.by, begun=begun, thought=thought)


def keep_interrupted(tx: Tx, reply: Reply, run: Run, desk: Desk) -> None:
    """Close a reply with all the text that anyone has seen of it."""
    text, thinking = heard_so_far(tx, reply)
    status = ReplyStatus.STOPPED if run.stop_requested else ReplyStatus.INTERRUPTED
    usage = Usage(**reply.usage) if reply.usage else None  # what it had used when it waited for a person
    if usage is None or reply.status is not ReplyStatus.WAITING:
        output = count(text + thinking, reply.model)
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
