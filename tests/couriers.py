"""Couriers for tests: a network of them that loses, repeats and delays what it carries as it is told."""

from collections.abc import Callable
from typing import TypeVar

from tertulia.infra.courier.handlers import NewsHandlers
from tertulia.infra.courier.news import EventsStored, LocalNews, News, NewsMayBeLost, StoredEvents

N = TypeVar("N", bound=News | LocalNews)


class WaywardCourier:
    """One process's courier: tells its own process at once, and others when the test delivers it."""

    is_connected = True

    def __init__(self, network: "WaywardNetwork") -> None:
        self._network = network
        self._handlers = NewsHandlers()
        #: What others told, and has not arrived here.
        self.underway: list[News] = []

    def publish(self, news: News) -> None:
        self._handlers.call(news)
        for other in self._network.couriers:
            if other is not self:
                other.underway.append(news)

    def subscribe(self, kind: type[N], handler: Callable[[N], None]) -> None:
        self._handlers.add(kind, handler)

    async def run(self) -> None:
        raise NotImplementedError

    def deliver(self, place: int, *, again: bool = False, with_bodies: bool = True) -> None:
        """Have something arrive that is under way, in any order, and perhaps once more later."""
        if not self.underway:
            return
        place %= len(self.underway)
        news = self.underway[place] if again else self.underway.pop(place)
        if isinstance(news, EventsStored) and not with_bodies:
            news = EventsStored(tuple(StoredEvents(stored.topic, stored.last_seq) for stored in news.topics))
        self._handlers.call(news)

    def lose_all(self) -> None:
        """Have nothing arrive that is under way."""
        self.underway.clear()

    def look(self) -> None:
        """Have everyone look for what was lost."""
        self._handlers.call(NewsMayBeLost())


class WaywardNetwork:
    """Couriers of several processes."""

    def __init__(self, processes: int) -> None:
        self.couriers = [WaywardCourier(self) for _ in range(processes)]
