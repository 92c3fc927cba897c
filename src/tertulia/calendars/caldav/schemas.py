"""Accounts at servers of calendars on the wire. A password or token is accepted and never sent."""

from typing import Annotated, Literal, Self

from pydantic import SecretStr, StringConstraints

from tertulia.calendars.caldav.accounts import AccountChange, NewAccount
from tertulia.calendars.caldav.credentials import CalDavAuth
from tertulia.calendars.caldav.sync_report import SyncReport
from tertulia.infra.http.schema import Schema, ShortText, SingleLine, Timestamp, ValidUnicode, shared_fields

AccountText = Annotated[
    str, StringConstraints(strip_whitespace=True, max_length=500), ValidUnicode, SingleLine
]


class NewAccountBody(Schema):
    """An account to connect: its address, and a user name with a password, or a token."""

    kind: Literal["caldav"]
    url: AccountText
    username: AccountText = ""
    password: SecretStr = SecretStr("")
    token: SecretStr = SecretStr("")
    name: AccountText = ""

    def to_account(self) -> NewAccount:
        """Return the account that is meant."""
        secrets = self.password.get_secret_value(), self.token.get_secret_value()
        return NewAccount(self.url, self.username, *secrets, name=self.name)


class AccountChangeBody(Schema):
    """What to change; what is left out stays."""

    name: ShortText | None = None
    username: AccountText | None = None
    password: SecretStr = SecretStr("")
    token: SecretStr = SecretStr("")

    def to_change(self) -> AccountChange:
        """Return the change that is meant."""
        secrets = self.password.get_secret_value(), self.token.get_secret_value()
        return AccountChange(self.name, self.username, *secrets)


class AccountView(Schema):
    """An account, without what signs in there."""

    id: str
    name: str
    url: str
    username: str
    #: `basic` with a password, `bearer` with a token.
    auth: CalDavAuth
    #: What is wrong with it, in a sentence.
    problem: str
    created_at: Timestamp


class AccountList(Schema):
    """Your accounts."""

    accounts: list[AccountView]


class SyncView(Schema):
    """What a sync did: what came from the server, what the server took, and what is left."""

    added: int
    changed: int
    deleted: int
    #: Races that you lost; the events say what was lost.
    conflicts: int
    sent: int
    #: Changes that the server has not taken yet.
    pending: int
    problems: list[str]

    @classmethod
    def of(cls, report: SyncReport, *, pending: int) -> Self:
        """Show what a sync did."""
        return cls(pending=pending, **shared_fields(report, cls, except_name="pending"))
