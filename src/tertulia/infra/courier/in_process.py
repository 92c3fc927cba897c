"""The courier of a server that is one process: news is heard as soon as it is told, and never lost."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from tertulia.infra.courier.handlers import NewsHandlers
from tertulia.infra.courier.news import LocalNews, News

N = TypeVar("N", bound=News | LocalNews)


class InProcessCourier:
    """Hands news to its own process."""

    is_connected = True

    def __init__(self) -> None:
        self._handlers = NewsHandlers()

    def publish(self, news: News) -> None:
        """Tell this process."""
        self._handlers.call(news)

    def subscribe(self, kind: type[N], handler: Callable[[N], None]) -> None:
        """Have `handler` called with each piece of news of a kind."""
        self._handlers.add(kind, handler)

    async def run(self) -> None:
        """Wait: there is nothing to carry."""
        await asyncio.Event().wait()
