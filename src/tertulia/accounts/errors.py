"""What can go wrong with accounts.

NotSignedIn ── WrongCredentials, CredentialsDisagree
NotAllowed  ── Suspended, NoWorkspace, CrossSite, WrongPassword, RoleTooHigh
NotFound    ── LinkUnusable
Invalid     ── EmailInvalid, EmailMissing, EmailNotInvited, PasswordUnfit, NotASession,
               FirstMustOwn, WorkspaceUnclear
Conflict    ── EmailTaken, AlreadyMember, AlreadySetUp, LastOwner, HandOverFirst
Limited     ── TooManyAttempts, TooManyTokens, TooManyInvitations
"""

from math import ceil

from tertulia.core.errors import Conflict, Invalid, Kind, Limited, NotAllowed, NotSignedIn, TertuliaError
from tertulia.core.principal import Role


class WrongCredentials(NotSignedIn):
    """No account has this email and password; which of the two is wrong stays unsaid."""

    code = "wrong_credentials"

    def __init__(self) -> None:
        super().__init__("The email or the password is wrong.")


class CredentialsDisagree(NotSignedIn):
    """One request named two people, or one person in two workspaces."""

    code = "credentials_disagree"

    def __init__(self) -> None:
        super().__init__("The request carries credentials that do not agree. Send only one.")


class Suspended(NotAllowed):
    """The account or the membership behind a good credential was suspended."""

    code = "suspended"

    def __init__(self) -> None:
        super().__init__("Your access to this workspace is suspended. Ask one of its owners.")


class NoWorkspace(NotAllowed):
    """The person is known but belongs to no workspace."""

    code = "no_workspace"

    def __init__(self) -> None:
        super().__init__("You belong to no workspace at present. Ask for an invitation.")


class CrossSite(NotAllowed):
    """Another web site made a browser send this request."""

    code = "cross_site"

    def __init__(self) -> None:
        super().__init__(
            "The request came from another site, so nothing was changed. Use Tertulia's own pages."
        )


class WrongPassword(NotAllowed):
    """The present password, asked for as a proof, was wrong."""

    code = "wrong_password"

    def __init__(self) -> None:
        super().__init__("Your current password is needed for this, and the one given is wrong.")


class RoleTooHigh(NotAllowed):
    """Somebody tried to give, change or take away a role that is not theirs to manage."""

    code = "role_too_high"

    def __init__(self, role: Role) -> None:
        super().__init__(f"Your role does not let you manage the role {role.value}. Ask an owner.")


class LinkUnusable(TertuliaError):
    """A one-time link is unknown, used, expired or withdrawn: these look alike on purpose."""

    kind = Kind.NOT_FOUND
    code = "link_unusable"

    def __init__(self) -> None:
        super().__init__("This link was used already, has expired or was withdrawn. Ask for a new one.")


class EmailInvalid(Invalid):
    """The text is not an email address we take."""

    code = "email_invalid"

    def __init__(self) -> None:
        super().__init__("Give an email address such as ana@example.org, of at most 254 characters.")


class EmailMissing(Invalid):
    """An invitation for anyone was accepted without saying as whom."""

    code = "email_missing"

    def __init__(self) -> None:
        super().__init__("Say which email address you want to sign in with.")


class EmailNotInvited(Invalid):
    """The invitation is for another address."""

    code = "email_not_invited"

    def __init__(self) -> None:
        super().__init__("The invitation is for another email address. Use that one, or ask for a new link.")


class PasswordUnfit(Invalid):
    """The password is too short, too long or too easily guessed."""

    code = "password_unfit"


class NotASession(Invalid):
    """Something that only a signed-in browser does was asked with an API token."""

    code = "not_a_session"

    def __init__(self) -> None:
        super().__init__(
            "An API token stays in its workspace and is not signed in. Delete it, or make another."
        )


class FirstMustOwn(Invalid):
    """The first person of a server would have nobody to look after it."""

    code = "first_must_own"

    def __init__(self) -> None:
        super().__init__("The first person on a server must be its owner. Choose the role owner.")


class WorkspaceUnclear(Invalid):
    """There are several workspaces and nobody said which."""

    code = "workspace_unclear"

    def __init__(self) -> None:
        super().__init__("There are several workspaces. Say which one by its id.")


class EmailTaken(Conflict):
    """Somebody has this email already."""

    code = "email_taken"

    def __init__(self, email: str) -> None:
        super().__init__(f"There is already an account with the email {email}.")


class AlreadyMember(Conflict):
    """The person is in the workspace already."""

    code = "already_member"

    def __init__(self) -> None:
        super().__init__("You belong to this workspace already. Sign in instead.")


class AlreadySetUp(Conflict):
    """The server has its first owner already."""

    code = "already_set_up"

    def __init__(self) -> None:
        super().__init__("This server is set up already. Sign in, or ask an owner for an invitation.")


class LastOwner(Conflict):
    """The workspace would be left without anybody to own it."""

    code = "last_owner"

    def __init__(self) -> None:
        super().__init__("A workspace needs an active owner. Make somebody else an owner first.")


class HandOverFirst(Conflict):
    """An account is the only owner of workspaces that others use."""

    code = "hand_over_first"

    def __init__(self, workspaces: list[str]) -> None:
        super().__init__(
            f"Others belong to {', '.join(workspaces)}, which would have no owner left. "
            "Make somebody else an owner first.",
            workspaces=workspaces,
        )


class TooManyAttempts(Limited):
    """Too many wrong passwords for one account or from one address."""

    code = "too_many_attempts"

    def __init__(self, seconds: float) -> None:
        super().__init__(f"Too many attempts to sign in. Try again in {ceil(seconds)} seconds.")
        self.retry_after = ceil(seconds)


class TooManyTokens(Limited):
    """The person has as many API tokens here as anyone needs."""

    code = "too_many_tokens"

    def __init__(self, limit: int) -> None:
        super().__init__(f"You have {limit} API tokens in this workspace. Delete some first.")


class TooManyInvitations(Limited):
    """The workspace has as many open invitations as it may."""

    code = "too_many_invitations"

    def __init__(self, limit: int) -> None:
        super().__init__(f"There are {limit} open invitations. Withdraw some first.")
