"""What can go wrong, said once.

    TertuliaError
    ├── Invalid         the request makes no sense as it stands
    ├── NotSignedIn     nobody, or nobody we know
    ├── NotAllowed      known, but may not
    ├── NotFound        not there, or not yours
    ├── Conflict        it clashes with what is already there
    ├── Limited         a limit was reached; it says which
    ├── Unavailable     try again later
    └── Upstream        another server failed us

Features derive their own errors from these. Edges map `kind` once: to an HTTP
status (`infra/http/errors.py`) and to whether a job is tried again
(`infra/jobs/retry.py`). The command line prints the sentence and exits with 1.
"""

from enum import StrEnum
from typing import Any, ClassVar


class Kind(StrEnum):
    """The ways an edge can answer."""

    INVALID = "invalid"
    NOT_SIGNED_IN = "not_signed_in"
    NOT_ALLOWED = "not_allowed"
    NOT_FOUND = "not_found"
    CONFLICT = "conflict"
    TOO_LARGE = "too_large"
    LIMITED = "limited"
    UNPAID = "unpaid"
    UNAVAILABLE = "unavailable"
    STORAGE_FULL = "storage_full"
    UPSTREAM = "upstream"


class TertuliaError(Exception):
    """A failure with a stable code for programs and one sentence for the person.

    `str()` is what the operator is told, in the log and at the terminal. It may name their machines, which
    `message` must not: people, models and programs read that.
    """

    kind: ClassVar[Kind]
    code: ClassVar[str]
    #: The message names what is one person's alone, such as an event of theirs.
    is_personal: ClassVar[bool] = False
    retry_after: float | None = None

    def __init__(self, message: str, **data: Any) -> None:
        super().__init__(message)
        self.message = message
        self.data = data


class Invalid(TertuliaError):
    """The request makes no sense as it stands."""

    kind = Kind.INVALID
    code = "invalid"


class NotSignedIn(TertuliaError):
    """The caller did not say who they are, or we do not know them."""

    kind = Kind.NOT_SIGNED_IN
    code = "not_signed_in"

    def __init__(self, message: str = "Sign in first, or send a valid API token.") -> None:
        super().__init__(message)


class NotAllowed(TertuliaError):
    """The caller is known but their role does not let them do this."""

    kind = Kind.NOT_ALLOWED
    code = "not_allowed"

    def __init__(self, message: str = "Your role in this workspace does not allow that.") -> None:
        super().__init__(message)


class NotFound(TertuliaError):
    """There is no such thing, or it is not yours: the two look alike on purpose."""

    kind = Kind.NOT_FOUND
    code = "not_found"

    def __init__(self, what: str) -> None:
        super().__init__(f"There is no such {what}.", what=what)


class Conflict(TertuliaError):
    """The request clashes with what is already there."""

    kind = Kind.CONFLICT
    code = "conflict"


class TooLarge(TertuliaError):
    """More was sent than we take."""

    kind = Kind.TOO_LARGE
    code = "too_large"


class Limited(TertuliaError):
    """A limit was reached; the sentence says which and when to come back."""

    kind = Kind.LIMITED
    code = "limited"


class Unavailable(TertuliaError):
    """We cannot do this just now; the same request may work later."""

    kind = Kind.UNAVAILABLE
    code = "unavailable"


class Upstream(TertuliaError):
    """Another server failed us."""

    kind = Kind.UPSTREAM
    code = "upstream"
