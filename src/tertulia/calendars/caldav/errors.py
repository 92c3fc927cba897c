"""How the server of a calendar fails us, each in one sentence that says what to do.

CalDavAddressRefused   an address that may not be asked, or is none
CalDavNotFound         there is no calendar at that address
CalDavAccountTaken     the account is connected already
CalendarHasNoServer    a calendar that is kept here was to be synced
CalDavSignInRefused    the server does not take the password or token
CalDavUnreachable      no answer, or none that can be used; the same may work later
├── CalDavBusy         the server asks us to come back later
├── CalDavIncomplete   the answer is no whole document
└── CalDavSlow         there is more than could be exchanged at once
CalDavRefused          the server understood, and will not
"""

from tertulia.core.errors import Conflict, Invalid, Upstream


class CalDavAddressRefused(Invalid):
    """An address that no calendar may have."""

    code = "caldav_address_refused"

    def __init__(self, why: str) -> None:
        super().__init__(why, field="url")


class CalDavNotFound(Invalid):
    """Something answers, and it is no calendar."""

    code = "caldav_not_found"

    def __init__(self, host: str) -> None:
        super().__init__(
            f"There is no calendar at that address of {host}. "
            "Enter the CalDAV address that your provider names.",
            field="url",
        )


class CalDavAccountTaken(Conflict):
    """The account is here already."""

    code = "caldav_account_taken"

    def __init__(self, host: str) -> None:
        super().__init__(f"This account at {host} is connected already. Change it, or remove it first.")


class CalendarHasNoServer(Conflict):
    """A calendar is kept here, and there is nothing to sync it with."""

    code = "calendar_has_no_server"

    def __init__(self, name: str) -> None:
        super().__init__(f"{name!r} is kept here and has no server. Sync a calendar of an account instead.")


class CalDavSignInRefused(Invalid):
    """The server does not take what we sign in with."""

    code = "caldav_sign_in_refused"

    def __init__(self, host: str) -> None:
        super().__init__(
            f"{host} does not accept this user name and password or token. Enter them again; "
            "many providers want a password that was made for this app alone."
        )


class CalDavUnreachable(Upstream):
    """The server did not answer, or not in a way that can be used."""

    code = "caldav_unreachable"

    def __init__(self, message: str) -> None:
        super().__init__(message)


class CalDavBusy(CalDavUnreachable):
    """The server asks us to come back later."""

    code = "caldav_busy"

    def __init__(self, host: str, *, retry_after: float | None) -> None:
        super().__init__(f"{host} is busy. It will be asked again later.")
        self.retry_after = retry_after


class CalDavIncomplete(CalDavUnreachable):
    """The answer breaks off, or is no document of the kind that was asked for."""

    code = "caldav_incomplete"

    def __init__(self, host: str) -> None:
        super().__init__(f"{host} sent an answer that is not whole. It will be asked again later.")


class CalDavSlow(CalDavUnreachable):
    """A sync took as long as it may."""

    code = "caldav_slow"

    def __init__(self, host: str) -> None:
        super().__init__(f"{host} takes long. What came until now is here; the rest will be fetched later.")


class CalDavRefused(Upstream):
    """The server understood what was asked, and does not do it."""

    code = "caldav_refused"

    def __init__(self, host: str, status: int, *, precondition: str = "") -> None:
        reason = precondition or f"status {status}"
        super().__init__(f"{host} refused what was asked of it ({reason}).")
        self.status = status
        self.precondition = precondition
