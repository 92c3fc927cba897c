"""What the routes about oneself take and give: signing in, sessions, tokens."""

from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints

from tertulia.accounts.api_tokens import NewApiToken
from tertulia.accounts.deletion import AccountDeletionPlan
from tertulia.accounts.domain import Membership, Profile, Session
from tertulia.core.principal import Role
from tertulia.core.time_zones import check_time_zone
from tertulia.infra.http.schema import AnyCaseId, Schema, ShortText, Timestamp, ValidUnicode

EmailText = Annotated[str, StringConstraints(min_length=1, max_length=254), ValidUnicode]
PasswordText = Annotated[str, StringConstraints(max_length=1024), ValidUnicode]
SecretText = Annotated[str, StringConstraints(max_length=200), ValidUnicode]
TimeZoneName = Annotated[str, StringConstraints(max_length=64), AfterValidator(check_time_zone)]


class SetupState(Schema):
    """Whether the server still waits for its first owner."""

    needed: bool


class SetupBody(Schema):
    """What the first owner sends, with the token of the link printed at the server's start."""

    token: SecretText
    email: EmailText
    name: ShortText
    password: PasswordText
    workspace: ShortText = "My workspace"


class SignInBody(Schema):
    """An email and a password."""

    email: EmailText
    password: PasswordText


class AcceptBody(Schema):
    """What somebody who follows an invitation or a reset link sends."""

    token: SecretText
    password: PasswordText
    email: EmailText | None = None
    name: ShortText | None = None


class SwitchBody(Schema):
    """The workspace to go to."""

    workspace_id: AnyCaseId


class UserView(Schema):
    """A person, to themselves."""

    id: str
    email: str
    name: str
    #: Null while nobody has said where they are.
    time_zone: str | None


class HereView(Schema):
    """The workspace one is in, as every member sees it."""

    id: str
    name: str
    default_models: list[str]


class WorkspaceRef(Schema):
    """A workspace one belongs to."""

    id: str
    name: str
    role: Role

    @classmethod
    def of(cls, membership: Membership) -> "WorkspaceRef":
        """Show a membership."""
        return cls(id=membership.workspace_id, name=membership.name, role=membership.role)


class WorkspaceList(Schema):
    """The workspaces one belongs to."""

    items: list[WorkspaceRef]


class MeView(Schema):
    """Who one is, where, as what, and where else one could go."""

    user: UserView
    workspace: HereView
    role: Role
    workspaces: list[WorkspaceRef]

    @classmethod
    def of(cls, profile: Profile) -> "MeView":
        """Show a profile."""
        here = profile.workspace
        return cls(
            user=UserView.model_validate(profile.user),
            workspace=HereView(id=here.id, name=here.name, default_models=here.settings.default_models),
            role=profile.role,
            workspaces=[WorkspaceRef.of(workspace) for workspace in profile.workspaces],
        )


class SessionState(Schema):
    """Who is signed in, if anybody is."""

    me: MeView | None


class MeChange(Schema):
    """What to change about oneself; a new password needs the current one."""

    name: ShortText | None = None
    time_zone: TimeZoneName | None = None
    password: PasswordText | None = None
    current_password: PasswordText | None = None


class AccountDeletionView(Schema):
    """What deleting one's account means for one's workspaces."""

    #: Nobody else is in these: they go with the account.
    deleted_workspaces: list[WorkspaceRef]
    #: Others are in these, and need another owner before the account can go.
    workspaces_to_hand_over: list[WorkspaceRef]

    @classmethod
    def of(cls, plan: AccountDeletionPlan) -> "AccountDeletionView":
        """Show a plan."""
        return cls(
            deleted_workspaces=[WorkspaceRef.of(place) for place in plan.deleted],
            workspaces_to_hand_over=[WorkspaceRef.of(place) for place in plan.to_hand_over],
        )


class AccountDeletionBody(Schema):
    """The proof that one means it."""

    current_password: PasswordText


class SessionView(Schema):
    """A browser one is signed in with; `current` is the one that asks."""

    id: str
    workspace_id: str
    user_agent: str
    created_at: Timestamp
    last_seen_at: Timestamp
    expires_at: Timestamp
    current: bool

    @classmethod
    def of(cls, session: Session, *, current: bool) -> "SessionView":
        """Show a session."""
        return cls(
            id=session.id,
            workspace_id=session.workspace_id,
            user_agent=session.user_agent,
            created_at=session.created_at,
            last_seen_at=session.last_seen_at,
            expires_at=session.expires_at,
            current=current,
        )


class SessionList(Schema):
    """Where one is signed in."""

    items: list[SessionView]


class RevokeAll(Schema):
    """What signing out everywhere covers."""

    tokens: bool = False


class TokenBody(Schema):
    """A token to make; without an end it works until it is deleted."""

    name: ShortText
    expires_in_days: Annotated[int, Field(ge=1, le=3650)] | None = None


class TokenView(Schema):
    """A token, which its prefix tells apart."""

    id: str
    name: str
    prefix: str
    created_at: Timestamp
    last_used_at: Timestamp | None
    expires_at: Timestamp | None


class TokenList(Schema):
    """One's tokens in this workspace."""

    items: list[TokenView]


class NewTokenView(TokenView):
    """A token just made: the only time that it is shown."""

    token: str

    @classmethod
    def of(cls, made: NewApiToken) -> "NewTokenView":
        """Show a new token with its secret."""
        shown = TokenView.model_validate(made.token)
        return cls(**shown.model_dump(mode="python"), token=made.secret)
