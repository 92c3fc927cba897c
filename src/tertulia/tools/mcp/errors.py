"""What can go wrong with servers that offer tools."""

from tertulia.core.errors import Upstream


class ServerDown(Upstream):
    """A server cannot be reached or does not speak as agreed."""

    code = "tool_server_down"


class CallLost(Upstream):
    """A server went away in the middle of a call: nobody knows what it has done."""

    code = "tool_call_lost"

    def __init__(self, why: str) -> None:
        super().__init__(
            f"The server went away before it answered ({why}). Whether it has done what was asked "
            "is not known: say so, and do not ask again without the person's word."
        )


class ServerRefused(Upstream):
    """A server answered that it will not."""

    code = "tool_server_refused"


class SessionOver(Upstream):
    """A server has forgotten us; nothing was run."""

    code = "tool_session_over"
