"""What processes must have in common that share a database: the key of its secrets, and its blob store.

Each is compared at the start with what the database knows, so that a server that could not open the secrets
of others, or would not find their files, does not start.
"""

from collections.abc import Callable
from dataclasses import dataclass

from tertulia.core.errors import Unavailable
from tertulia.core.ids import new_id
from tertulia.infra.blobs import Blobs
from tertulia.infra.db import Database, Tx
from tertulia.infra.db.server_facts import agree_on_fact, find_fact
from tertulia.infra.db.statements import Row
from tertulia.infra.secrets import SecretUnreadable, SecretVault, key_from_environment
from tertulia.settings import KEY_VARIABLE, Settings

KEY_CHECK_FACT = "key_check"
BLOB_STORE_FACT = "blob_store"
#: What is sealed to tell later whether the key is still the same.
SEALED_CHECK_TEXT = "tertulia"


@dataclass(frozen=True, slots=True)
class MovedData:
    """What tells to which key and store data belongs that was there before its first process."""

    #: Some sealed secrets, each after the id of the row that it is sealed for.
    sealed_secrets: Callable[[Tx], list[Row]] = lambda _: []
    #: Where some large files lie in the blob store.
    blob_keys: Callable[[Tx], list[str]] = lambda _: []


NOTHING_MOVED = MovedData()


class SecretKeyMissing(Unavailable):
    """Processes that share a database need a key that all of them know."""

    code = "secret_key_missing"

    def __init__(self) -> None:
        super().__init__(
            f"With DATABASE_URL, {KEY_VARIABLE} must be set, to the same value for every process: it seals "
            "the keys that are stored. Choose a long random one, or what secret.key holds of moved data."
        )


class SecretKeyWrong(Unavailable):
    """The secrets in the database were sealed with another key."""

    code = "secret_key_wrong"

    def __init__(self) -> None:
        super().__init__(
            f"{KEY_VARIABLE} is not the key that this database's secrets are sealed with. "
            "Set the one that its other servers have, or what secret.key holds of moved data."
        )


class BlobStoreForeign(Unavailable):
    """The files of the database lie elsewhere."""

    code = "blob_store_foreign"

    def __init__(self) -> None:
        super().__init__(
            "The large files of this database lie in another blob store than this server's. "
            "Set TERTULIA_BLOBS to the folder or bucket that all of its servers share."
        )


async def check_shared_storage(
    db: Database, settings: Settings, *, blobs: Blobs, moved: MovedData = NOTHING_MOVED
) -> None:
    """Raise where this process would not understand what others stored, or they what it stores."""
    await check_secret_key(db, settings, moved=moved)
    await check_blob_store(db, blobs, moved=moved)


async def check_secret_key(db: Database, settings: Settings, *, moved: MovedData = NOTHING_MOVED) -> None:
    """Raise where there is no key, or another than the first process had."""
    if not key_from_environment(settings):
        raise SecretKeyMissing
    vault = SecretVault(settings)
    if await db.read(lambda tx: find_fact(tx, KEY_CHECK_FACT), by=None) is None:
        await check_key_opens_secrets(db, vault, moved=moved)
    sealed = vault.seal(SEALED_CHECK_TEXT, context=KEY_CHECK_FACT)
    agreed = await db.write(lambda tx: agree_on_fact(tx, KEY_CHECK_FACT, sealed), by=None)
    try:
        vault.open(agreed, context=KEY_CHECK_FACT)
    except SecretUnreadable:
        raise SecretKeyWrong from None


async def check_key_opens_secrets(db: Database, vault: SecretVault, *, moved: MovedData) -> None:
    """Raise where there are secrets of moved data, and the key of the first process opens none of them."""
    sealed = await db.read(moved.sealed_secrets, by=None)
    if sealed and not any(can_open(vault, text, context=row_id) for row_id, text in sealed):
        raise SecretKeyWrong


def can_open(vault: SecretVault, sealed: str, *, context: str) -> bool:
    """Tell whether a key opens a secret."""
    try:
        vault.open(sealed, context=context)
    except SecretUnreadable:
        return False
    return True


async def check_store_has_files(db: Database, blobs: Blobs, *, moved: MovedData) -> None:
    """Raise where there are large files of moved data, and the first process's store has none of them."""
    keys = await db.read(moved.blob_keys, by=None)
    if keys and not any([await blobs.has(key) for key in keys]):
        raise BlobStoreForeign


async def check_blob_store(db: Database, blobs: Blobs, *, moved: MovedData = NOTHING_MOVED) -> None:
    """Raise where the blob store is another than that of the first process."""
    agreed = await db.read(lambda tx: find_fact(tx, BLOB_STORE_FACT), by=None)
    if agreed is None:
        await check_store_has_files(db, blobs, moved=moved)
        mark = new_id("bst")
        # The mark comes first: a process killed in between leaves one that nobody asks for.
        await blobs.put_mark(mark)
        agreed = await db.write(lambda tx: agree_on_fact(tx, BLOB_STORE_FACT, mark), by=None)
    if not await blobs.has_mark(agreed):
        raise BlobStoreForeign
