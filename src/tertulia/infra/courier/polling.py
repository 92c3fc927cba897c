"""The courier of processes that share only a database: each looks four times a second."""

import asyncio

from tertulia.infra.courier.in_process import InProcessCourier
from tertulia.infra.courier.news import NewsMayBeLost

#: Short enough that nobody who reads along minds.
NEWS_POLL_SECONDS = 0.25


class PollingCourier(InProcessCourier):
    """Hands news to its own process, and has everyone look for what other processes did."""

    async def run(self) -> None:
        """Have everyone look, again and again."""
        while True:
            await asyncio.sleep(NEWS_POLL_SECONDS)
            self._handlers.call(NewsMayBeLost())
