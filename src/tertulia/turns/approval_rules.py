"""Which tool calls wait for a person's approval, and how long."""

from datetime import timedelta

from tertulia.conversations import tool_runs
from tertulia.infra.db import Tx
from tertulia.tools import grants
from tertulia.tools.domain import Effect

#: How long a call waits for a person's yes.
APPROVAL_TTL = timedelta(hours=24)


def needs_approval(tx: Tx, tool_name: str, effect: Effect, *, conversation_id: str) -> bool:
    """Tell whether a person has to be asked before a tool runs that may change something.

    After a call that may or may not have run they are asked again, whatever they granted.
    """
    if effect is Effect.READ:
        return False
    if tool_runs.is_outcome_unknown(tx, conversation_id, tool_name):
        return True
    return not grants.is_allowed(tx, tool_name, conversation_id)
