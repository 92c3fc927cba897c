"""What can go wrong with servers that offer tools."""

from tertulia.core.errors import NotAllowed, Upstream
from tertulia.tools.errors import OutcomeUnknown


class ToolProgramsDisabled(NotAllowed):
    """Whoever runs the server does not want programs started by admins of workspaces."""

    code = "tool_programs_off"

    def __init__(self) -> None:
        super().__init__(
            "Tool servers that are programs would run with this server's own rights, and are off. "
            "Whoever runs it can allow them with TERTULIA_TOOL_PROGRAMS=on; an address needs no leave."
        )


class ToolServerDown(Upstream):
    """A server cannot be reached or does not speak as agreed."""

    code = "tool_server_down"


class ToolCallLost(OutcomeUnknown):
    """A server went away in the middle of a call: nobody knows what it has done."""

    code = "tool_call_lost"

    def __init__(self, why: str) -> None:
        super().__init__(
            f"The server went away before it answered ({why}). Whether it has done what was asked "
            "is not known: say so, and do not ask again without the person's word."
        )


class ToolServerRefused(Upstream):
    """A server answered that it will not."""

    code = "tool_server_refused"


class McpSessionExpired(Upstream):
    """A server has forgotten us; nothing was run."""

    code = "tool_session_over"
