"""What every courier does: carry news of what was committed to all processes of a server.

A courier is never a store. What it carries can be lost, arrive twice or in another order, and so each piece
of news only says where to look, or brings what can be checked. Whoever must not miss anything also looks
when they hear `NewsMayBeLost`.
"""

from collections.abc import Callable
from typing import Protocol, TypeVar

from tertulia.infra.courier.news import LocalNews, News

N = TypeVar("N", bound=News | LocalNews)


class Courier(Protocol):
    """Carries news to every process of the server, this one included."""

    @property
    def is_connected(self) -> bool:
        """Tell whether news of other processes arrives as fast as it should."""
        ...

    def publish(self, news: News) -> None:
        """Tell every process; call it on the event loop, once what is told of is committed."""
        ...

    def subscribe(self, kind: type[N], handler: Callable[[N], None]) -> None:
        """Have `handler` called on the event loop with each piece of news of a kind."""
        ...

    async def run(self) -> None:
        """Carry news for as long as the process runs."""
        ...
