"""What can go wrong with a tool, whichever it is."""

from tertulia.core.errors import Upstream


class OutcomeUnknown(Upstream):
    """What a tool was asked to do may be done, or not."""


class ToolServerChanged(Upstream):
    """A server or service is no longer the one that a reply was given: nothing is sent to what it was."""

    code = "tool_server_changed"

    def __init__(self) -> None:
        super().__init__(
            "An admin has changed or removed this server: its tools are there at the next question."
        )
