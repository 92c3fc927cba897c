"""Run the scripted provider as a process: `python -m tests.scripted_provider --port 9999`."""

import argparse
import asyncio
import sys
from contextlib import suppress

import uvloop

from tests.scripted_provider.server import Server
from tests.scripted_provider.tokens import tokenizer


async def serve(port: int) -> None:
    """Serve until the process is ended; the first line of output says where."""
    listening = await asyncio.start_server(Server().serve, "127.0.0.1", port, backlog=2048)
    sys.stdout.write(f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await listening.serve_forever()


def main() -> None:
    """Read the port and serve."""
    parser = argparse.ArgumentParser(prog="python -m tests.scripted_provider")
    parser.add_argument("--port", type=int, default=0, help="any free one unless named")
    port = parser.parse_args().port
    # Loaded now, so that the first request is not slower than the others.
    for vocabulary in ("o200k_base", "llama3", "gemma3"):
        tokenizer(vocabulary)
    with suppress(KeyboardInterrupt):
        uvloop.run(serve(port))


if __name__ == "__main__":
    main()
