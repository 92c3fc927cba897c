"""Replies as they stand while they are written, without a server."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from tertulia.conversations.domain import Reply, ReplyKind, ReplyStatus

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)


def a_reply(**known: Any) -> Reply:
    reply = Reply(
        id="msg_1",
        workspace_id="wsp_1",
        conversation_id="cnv_1",
        round_id="rnd_1",
        lane="m",
        model="m",
        kind=ReplyKind.ANSWER,
        attempt=1,
        continues=None,
        effort=None,
        temperature=None,
        status=ReplyStatus.RUNNING,
        error=None,
        usage=None,
        cost=None,
        tool_calls=[],
        first_seq=1,
        created_at=BEGAN,
        started_at=BEGAN,
        first_token_at=None,
        finished_at=None,
    )
    return replace(reply, **known)
