"""How working with a conversation fails."""

from tertulia.core.errors import Conflict, Invalid


class ChoiceMissing(Invalid):
    """The policy is to show one chosen answer, and none was chosen."""

    code = "choice_missing"

    def __init__(self) -> None:
        super().__init__("With the policy `chosen`, `parent_id` must name the reply to go on from.")


class StillRunning(Conflict):
    """A reply is still being written."""

    code = "still_running"

    def __init__(self) -> None:
        super().__init__("That reply is still being written. Wait for it, or stop it first.")


class NothingToContinue(Conflict):
    """The reply is complete, or it is not the newest of its lane."""

    code = "nothing_to_continue"

    def __init__(self) -> None:
        super().__init__("Only the newest reply of a lane can be continued, and only if it was cut short.")


class ConversationStays(Conflict):
    """A conversation that stays, and in which something was asked, was to become temporary."""

    code = "conversation_stays"

    def __init__(self) -> None:
        super().__init__(
            "A conversation is temporary from its beginning, or not at all. Begin a temporary one."
        )


class ConversationTemporary(Conflict):
    """What was asked for would outlive a temporary conversation."""

    code = "conversation_temporary"

    def __init__(self) -> None:
        super().__init__(
            "A temporary conversation is neither exported nor remembered. Keep it first if it is to stay."
        )


class ImportUnreadable(Invalid):
    """A file is not an export that we can read."""

    code = "import_unreadable"
