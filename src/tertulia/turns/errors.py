"""How a turn fails before, while and after a model speaks."""

from tertulia.core.errors import Conflict, Invalid, Kind, Limited, NotAllowed, TertuliaError, Unavailable
from tertulia.core.plurals import count_noun


class IdempotencyKeyReused(Conflict):
    """An idempotency key came back with another request."""

    code = "idempotency_key_reused"

    def __init__(self) -> None:
        super().__init__("That idempotency key was already used for another request. Use a new one.")


class NoModelAvailable(Invalid):
    """No model was named and there is none to fall back on."""

    code = "nobody_invited"

    def __init__(self) -> None:
        super().__init__("No model was named and none is available. Add a provider's key, or start Ollama.")


class TooManyReplies(Limited):
    """As many replies are being written as the limit allows."""

    code = "too_many_replies"
    retry_after = 5

    def __init__(self, whose: str, limit: int) -> None:
        super().__init__(
            f"{whose} may have {count_noun(limit, 'reply')} written at once. Wait for one, or stop one.",
            limit=limit,
        )


class TooManyModels(Invalid):
    """More models were named than one round may ask."""

    code = "too_many_models"

    def __init__(self, named: int, limit: int) -> None:
        super().__init__(
            f"One round asks at most {count_noun(limit, 'model')} here, and {named:,} were named.",
            limit=limit,
        )


class SpendingLimitReached(TertuliaError):
    """The month's budget is used up, or promised to replies that are being written."""

    kind = Kind.UNPAID
    code = "spending_limit_reached"

    def __init__(self, whose: str, limit: float) -> None:
        super().__init__(
            f"{whose} monthly limit of ${limit:,.2f} is reached. An admin can raise it in the settings.",
            limit=limit,
        )


class ShuttingDown(Unavailable):
    """The server is about to stop and takes no new work."""

    code = "shutting_down"
    retry_after = 5

    def __init__(self) -> None:
        super().__init__("The server is restarting. Please send this again in a few seconds.")


class NothingToMerge(Conflict):
    """There is no reply to merge or judge."""

    code = "nothing_to_read"

    def __init__(self) -> None:
        super().__init__("This round has no finished reply to merge or judge yet.")


class ServerStopped(TertuliaError):
    """The server stopped in the middle of a reply."""

    kind = Kind.UNAVAILABLE
    code = "server_stopped"

    def __init__(self, *, has_words: bool) -> None:
        kept = "The server stopped while this was written. What was written is kept: continue it."
        super().__init__(kept if has_words else "The server stopped before the model answered: ask it again.")


class ReplyCutAtLimit(TertuliaError):
    """The model used all the tokens a reply may have."""

    kind = Kind.LIMITED
    code = "reply_cut_at_limit"

    def __init__(self) -> None:
        super().__init__("The reply reached the longest that this model may write. Continue it to read on.")


class ReplyTooLong(TertuliaError):
    """The model has said more than one reply may hold here."""

    kind = Kind.LIMITED
    code = "reply_too_long"

    def __init__(self, max_chars: int) -> None:
        super().__init__(f"The reply was ended at {max_chars:,} characters, the most that one may have here.")


class ModelDeclined(TertuliaError):
    """The model or its provider would not answer."""

    kind = Kind.UPSTREAM
    code = "model_declined"

    def __init__(self) -> None:
        super().__init__("The model's provider declined to answer this. Rephrase it, or ask another model.")


class EmptyReply(TertuliaError):
    """The model worked with tools and then wrote nothing."""

    kind = Kind.UPSTREAM
    code = "nothing_said"

    def __init__(self) -> None:
        super().__init__("The model used its tools but wrote no answer. Ask it once more, or another model.")


class LeaseLost(Conflict):
    """The reply was deleted, or another process took it over."""

    code = "no_longer_ours"

    def __init__(self) -> None:
        super().__init__("This reply was deleted, or is written by another server process.")


class InternalError(TertuliaError):
    """A mistake of ours."""

    kind = Kind.UNAVAILABLE
    code = "internal"

    def __init__(self) -> None:
        super().__init__("Something went wrong on the server and was logged. Please try again.")


class AlreadyDecided(Conflict):
    """The call does not wait any more."""

    code = "already_decided"

    def __init__(self) -> None:
        super().__init__("This call does not wait for an answer any more.")


class NotYourApproval(NotAllowed):
    """A tool acts with the rights of whoever asked, so nobody else may let it."""

    code = "not_yours_to_decide"

    def __init__(self) -> None:
        super().__init__("Only the person who asked can do this: the model acts on their behalf.")


class ApprovedArgumentsInvalid(Invalid):
    """Arguments that a person changed are no JSON object."""

    code = "arguments_invalid"

    def __init__(self) -> None:
        super().__init__('Arguments must be one JSON object, such as {"path": "notes.md"}.')


class ReplyAlreadyFinished(Conflict):
    """A reply that is over cannot be told anything."""

    code = "not_at_work"

    def __init__(self) -> None:
        super().__init__("This reply is finished: ask in a new message.")
