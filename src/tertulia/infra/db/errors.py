"""How the database fails, in the words of the person who waits for it."""

from tertulia.core.errors import Conflict, Kind, TertuliaError, Unavailable


class DatabaseBusy(Unavailable):
    """Another process held the write lock for longer than we wait."""

    code = "database_busy"
    retry_after = 5

    def __init__(self) -> None:
        super().__init__("The database is busy. Nothing was changed; please try again in a few seconds.")


class DiskFull(TertuliaError):
    """There is no room left to write; reading goes on."""

    kind = Kind.STORAGE_FULL
    code = "disk_full"

    def __init__(self) -> None:
        super().__init__("The server's disk is full. Nothing was changed; free some space and try again.")


class StorageReadOnly(Unavailable):
    """The disk, or the database's file, may only be read; reading goes on."""

    code = "storage_read_only"

    def __init__(self) -> None:
        super().__init__(
            "The server's disk is read-only. Nothing was changed; make it writable and try again."
        )


class StorageFailed(Unavailable):
    """The disk refused a read or a write."""

    code = "storage_failed"

    def __init__(self, detail: str) -> None:
        super().__init__(
            "The database could not be reached. Nothing was changed; please try again in a moment."
        )
        self._detail = detail

    def __str__(self) -> str:
        """Return the sentence with the reason, in which addresses and names of the operator may stand."""
        return f"The database could not be reached ({self._detail}). Nothing was changed."


class CommitUnknown(Unavailable):
    """A connection was lost during a commit, and nobody could say what came of that."""

    code = "outcome_unknown"

    def __init__(self) -> None:
        super().__init__(
            "The connection to the database was lost while this was being saved, and it is not known whether "
            "it was. Look before you try again."
        )


class SchemaTooNew(Conflict):
    """A newer program has used the database, and this one does not know its schema."""

    code = "schema_too_new"

    def __init__(self, *, applied: int, known: int) -> None:
        super().__init__(
            f"The database has schema {applied}, and this program knows {known}. Install the version of "
            "Tertulia that last used it, or a newer one."
        )


class MigrationFailed(Unavailable):
    """A change of the schema does not fit what is in the database; all of it was undone."""

    code = "migration_failed"

    def __init__(self, number: int, reason: str) -> None:
        super().__init__(
            f"The database could not be brought to schema {number} ({reason}). It is as it was: go on with "
            "the version that last used it, and report this."
        )


class ConstraintBroken(Exception):
    """A row would break a rule of the schema: uniqueness, a reference, a check.

    Who expects it runs the statement by `Tx.attempt`; to anyone else it is a mistake in our code.
    """

    def __init__(self, constraint: str) -> None:
        super().__init__(constraint)
        #: Its name in the schema, or what the engine says of it where it tells no name.
        self.constraint = constraint


class ReferenceBroken(ConstraintBroken):
    """A row would belong to something that is not there any more: it was deleted meanwhile."""


class UnscopedStatement(AssertionError):
    """A statement on people's data does not say whose: a mistake in our code, never shown to anyone."""
