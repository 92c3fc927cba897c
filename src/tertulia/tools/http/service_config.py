"""What admins say about web services, checked: new ones, and ones that change."""

from dataclasses import dataclass, field, fields, replace

from tertulia.core.clock import now
from tertulia.core.errors import Invalid
from tertulia.tools.external_tools import check_slug
from tertulia.tools.http.client import check_url, origin_of
from tertulia.tools.http.openapi import HTTP_TOOL_RESERVED_HEADERS, ServiceDescription
from tertulia.tools.http.operations import Auth
from tertulia.tools.mcp.server_secrets import HEADER_NAME
from tertulia.tools.store import ServiceRow

#: Ways to carry a secret that need a name.
NAMED_AUTH = (Auth.HEADER, Auth.QUERY)


class ServiceInvalid(Invalid):
    """What was entered cannot be a web service."""

    code = "http_tool_invalid"


@dataclass(frozen=True, slots=True)
class NewService:
    """What an admin says about a service that they add."""

    slug: str
    document: str = field(repr=False)
    base_url: str = ""
    auth: Auth = Auth.NONE
    auth_name: str = ""
    secret: str = field(default="", repr=False)
    enabled: bool = True
    allowed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ServiceChange:
    """What an admin changes; None keeps what is there, and an empty address is where a new document says.

    The short name stays: conversations, switches and what people have allowed know the tools by it.
    """

    document: str | None = field(default=None, repr=False)
    base_url: str | None = None
    auth: Auth | None = None
    auth_name: str | None = None
    secret: str | None = field(default=None, repr=False)
    enabled: bool | None = None
    allowed: tuple[str, ...] | None = None

    @property
    def changed_names(self) -> list[str]:
        """The names of what is changed, for the audit log."""
        return [field_.name for field_ in fields(self) if getattr(self, field_.name) is not None]


@dataclass(frozen=True, slots=True)
class SealedSecret:
    """A secret as it is stored; a service without one has None."""

    sealed: str | None = field(repr=False)
    tail: str


def to_row(
    new: NewService, service_id: str, described: ServiceDescription, secret: SealedSecret
) -> ServiceRow:
    """Return the row of a new service, checked."""
    made = now()
    row = ServiceRow(
        id=service_id,
        slug=check_slug(new.slug),
        title=described.title,
        base_url=check_url(new.base_url or described.base_url),
        auth=new.auth,
        auth_name=new.auth_name,
        sealed=secret.sealed,
        secret_tail=secret.tail,
        enabled=new.enabled,
        allowed=list(new.allowed),
        operations=described.operations,
        created_at=made,
        updated_at=made,
    )
    return check_row(row)


def apply_change(
    row: ServiceRow, change: ServiceChange, described: ServiceDescription | None, secret: SealedSecret | None
) -> ServiceRow:
    """Return a row with what the admin changed, checked."""
    changed = replace(
        row,
        base_url=changed_address(row, change, described),
        auth=change.auth or row.auth,
        auth_name=row.auth_name if change.auth_name is None else change.auth_name,
        enabled=row.enabled if change.enabled is None else change.enabled,
        allowed=row.allowed if change.allowed is None else list(change.allowed),
        updated_at=now(),
    )
    changed = changed if described is None else with_new_document(changed, change, described)
    return check_row(with_secret(row, changed, secret))


def changed_address(row: ServiceRow, change: ServiceChange, described: ServiceDescription | None) -> str:
    """Return where a service is after a change."""
    if change.base_url is None:
        return row.base_url
    return check_url(change.base_url or (described.base_url if described else ""))


def with_new_document(row: ServiceRow, change: ServiceChange, described: ServiceDescription) -> ServiceRow:
    """Return a row with the operations of another document; those that it still has may be used as before."""
    known = {operation.name for operation in described.operations if not operation.problem}
    allowed = (
        [operation for operation in row.allowed if operation in known]
        if change.allowed is None
        else row.allowed
    )
    return replace(row, title=described.title, operations=described.operations, allowed=allowed)


def with_secret(row: ServiceRow, changed: ServiceRow, secret: SealedSecret | None) -> ServiceRow:
    """Return a row with its secret, or raise where that would go where it was not entered for."""
    if changed.auth is Auth.NONE:
        return replace(changed, sealed=None, secret_tail="")
    if secret is not None:
        return replace(changed, sealed=secret.sealed, secret_tail=secret.tail)
    if row.sealed and secret_receiver(changed) != secret_receiver(row):
        # Or else whoever may change the address could have the secret sent to themselves, or put where
        # the service publishes it.
        raise ServiceInvalid("Enter the secret again when the address, or where the secret goes, changes.")
    return changed


def secret_receiver(row: ServiceRow) -> tuple[object, ...]:
    """Return what decides who is given a secret, and as what."""
    named = row.auth_name if row.auth in NAMED_AUTH else ""
    return origin_of(row.base_url), row.auth, named


def is_other_service(row: ServiceRow, changed: ServiceRow, change: ServiceChange) -> bool:
    """Tell whether what was allowed to a service holds no longer."""
    return change.document is not None or changed.base_url != row.base_url


def check_row(row: ServiceRow) -> ServiceRow:
    """Return a row that can be asked, or raise."""
    if row.auth in NAMED_AUTH and not HEADER_NAME.fullmatch(row.auth_name):
        raise ServiceInvalid("Name the header or the parameter that carries the secret.")
    if row.auth is Auth.HEADER and row.auth_name.lower() in HTTP_TOOL_RESERVED_HEADERS - {
        "authorization",
        "cookie",
    }:
        raise ServiceInvalid("That header cannot carry a secret.")
    if row.auth is not Auth.NONE and row.sealed is None:
        raise ServiceInvalid("Enter the secret, or choose that there is none.")
    known = {operation.name: operation.problem for operation in row.operations}
    for name in sorted(row.allowed):
        if name not in known:
            raise ServiceInvalid(f"The document has no operation {name[:100]!r}.")
        if known[name]:
            raise ServiceInvalid(f"{name[:100]!r} is not for models. {known[name]}")
    return row
