"""What every engine gives: functions run as transactions, in reads and in writes."""

from collections.abc import Callable
from typing import Protocol, TypeVar

from tertulia.core.principal import Principal
from tertulia.infra.db.tx import Tx

T = TypeVar("T")


class Database(Protocol):
    """Runs functions as transactions; a restart finds everything that a write was answered for."""

    async def read(self, call: Callable[[Tx], T], *, by: Principal | None) -> T:
        """Run `call` on one consistent snapshot; `by=None` is for housekeeping alone."""
        ...

    async def read_inline(self, call: Callable[[Tx], T], *, by: Principal | None) -> T:
        """Look up a few rows by their keys, without a thread where the engine can do that.

        Nobody else may be served meanwhile, so anything that may grow with the data is for `read`.
        """
        ...

    async def write(self, call: Callable[[Tx], T], *, by: Principal | None, concurrent: bool = False) -> T:
        """Run `call` and return once what it wrote is safe on disk: all of it, or none.

        Writes in one workspace, and those of housekeeping, happen one after the other, so that what a
        function found still holds when it writes. Only `concurrent` ones may happen beside others: those of
        housekeeping that take no decision from what they read, or lock the rows they read.

        An engine may run `call` again after a conflict: apart from `tx.after_commit` it changes nothing but
        the database.
        """
        ...

    def close(self) -> None:
        """Finish what is under way and close every connection."""
        ...
