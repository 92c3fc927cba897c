"""Running the scripted provider inside a test, in a thread of its own."""

import asyncio
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from tests.scripted_provider.script import Recorded, Script
from tests.scripted_provider.server import Server


class ScriptedProvider:
    """A running scripted provider, as a test holds it."""

    def __init__(self, server: Server, port: int, loop: asyncio.AbstractEventLoop) -> None:
        self.server = server
        self._loop = loop
        self.port = port
        self.url = f"http://127.0.0.1:{port}"
        self.openai_url = f"{self.url}/v1"
        self.anthropic_url = f"{self.url}/anthropic"
        self.gemini_url = f"{self.url}/gemini"

    @classmethod
    @contextmanager
    def running(cls, port: int = 0, *, server: Server | None = None) -> "Generator[ScriptedProvider]":
        """Serve while the block runs, on any free port unless one is named."""
        loop = asyncio.new_event_loop()
        server = server or Server()
        thread = threading.Thread(target=run_to_the_end, args=[loop], daemon=True)
        thread.start()
        starting = asyncio.start_server(server.serve, "127.0.0.1", port)
        listening = asyncio.run_coroutine_threadsafe(starting, loop).result()
        try:
            yield cls(server, listening.sockets[0].getsockname()[1], loop)
        finally:
            loop.call_soon_threadsafe(listening.close)
            loop.call_soon_threadsafe(loop.stop)
            thread.join()

    def script(self, model: str, *scripts: Script) -> None:
        """Set what a model does: one script for all requests, or one each and the last one for the rest."""
        self.server.script(model, list(scripts))

    def resume(self) -> None:
        """Let models that wait in the middle of a reply, and all later ones, go on."""
        self._loop.call_soon_threadsafe(self.server.resumed.set)

    def requests(self, model: str | None = None) -> list[Recorded]:
        """Return the requests so far, the oldest first."""
        return [one for one in self.server.requests if model in (None, one.model)]

    def clear(self) -> None:
        """Forget all requests and scripts, what was cached, and that models may go on."""
        self.server.requests.clear()
        self.server.caches.clear()
        self.server.scripts.clear()
        self._loop.call_soon_threadsafe(self.server.resumed.clear)

    def wait_for(self, condition: Callable[[], object], *, seconds: float = 5) -> bool:
        """Wait until something is so on the server's side, and tell whether it came to be."""
        until = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > until:
                return False
            time.sleep(0.005)
        return True


def run_to_the_end(loop: asyncio.AbstractEventLoop) -> None:
    """Run a loop until it is stopped, end what connections still do, and put it away.

    In its own thread: that of the test may be running a loop itself.
    """
    loop.run_forever()
    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    if tasks:
        loop.run_until_complete(asyncio.wait(tasks))
    loop.close()
