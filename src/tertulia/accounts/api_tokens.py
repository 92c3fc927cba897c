"""API tokens: keys with which programs act for their member, in one workspace."""

from dataclasses import dataclass, field
from datetime import datetime

from tertulia.accounts import audit
from tertulia.accounts.bearer_secrets import TOKEN_PREFIX, new_secret, secret_digest
from tertulia.accounts.domain import ApiToken
from tertulia.accounts.errors import TooManyTokens
from tertulia.core import clock
from tertulia.core.errors import NotFound
from tertulia.core.ids import new_id
from tertulia.infra.db import Tx

API_TOKENS_MAX = 100
#: How much of a token is kept to recognise it by: what remains cannot be guessed.
TOKEN_PREFIX_CHARS = len(TOKEN_PREFIX) + 4


@dataclass(frozen=True, slots=True)
class NewApiToken:
    """A token just made, with the secret that is shown this once."""

    token: ApiToken
    secret: str = field(repr=False)


def create_token(tx: Tx, name: str, *, expires_at: datetime | None = None) -> NewApiToken:
    """Make a token that acts for the principal in their workspace."""
    if len(list_own_tokens(tx)) >= API_TOKENS_MAX:
        raise TooManyTokens(API_TOKENS_MAX)
    secret = new_secret(TOKEN_PREFIX)
    token = ApiToken(new_id("tok"), name, secret[:TOKEN_PREFIX_CHARS], clock.now(), None, expires_at)
    tx.run(
        """INSERT INTO api_tokens
           (id, token_hash, prefix, name, user_id, workspace_id, created_at, expires_at)
           VALUES (:id, :token_hash, :prefix, :name, :me, :workspace, :created_at, :expires_at)""",
        id=token.id,
        token_hash=secret_digest(secret),
        prefix=token.prefix,
        name=token.name,
        created_at=token.created_at,
        expires_at=token.expires_at,
    )
    audit.record(tx, "token_created", subject_id=token.id)
    return NewApiToken(token, secret)


def list_own_tokens(tx: Tx) -> list[ApiToken]:
    """Return the principal's tokens in their workspace, the newest first."""
    return tx.all(
        ApiToken,
        "SELECT * FROM api_tokens WHERE workspace_id = :workspace AND user_id = :me ORDER BY id DESC",
    )


def revoke_token(tx: Tx, token_id: str) -> None:
    """Delete one of the principal's tokens, or raise `NotFound`; it stops at its next request."""
    revoked = tx.change(
        "DELETE FROM api_tokens WHERE id = :id AND workspace_id = :workspace AND user_id = :me", id=token_id
    )
    if not revoked:
        raise NotFound("API token")
    audit.record(tx, "token_revoked", subject_id=token_id)
