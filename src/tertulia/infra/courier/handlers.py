"""Who in this process wants to hear which news."""

import logging
from collections.abc import Callable
from typing import Any, TypeVar

from tertulia.infra.courier.news import LocalNews, News

log = logging.getLogger("tertulia.courier")

N = TypeVar("N", bound=News | LocalNews)


class NewsHandlers:
    """Calls whoever subscribed to a kind of news; one that fails keeps the others from nothing."""

    def __init__(self) -> None:
        self._by_kind: dict[type[Any], list[Callable[[Any], None]]] = {}

    def add(self, kind: type[N], handler: Callable[[N], None]) -> None:
        """Have `handler` called with each piece of news of a kind."""
        self._by_kind.setdefault(kind, []).append(handler)

    def call(self, news: News | LocalNews) -> None:
        """Call all that subscribed to news of this kind."""
        for handler in self._by_kind.get(type(news), ()):
            try:
                handler(news)
            except Exception:
                log.exception("News of %s could not be acted on.", type(news).__name__)
