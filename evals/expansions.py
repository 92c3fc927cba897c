"""What a utility model makes of queries, and a provider whose utility model says it.

The lines of `expansions.jsonl` were written by a model that was shown the queries alone, never the files or
talk that are searched: sub-questions, and what an answer might say, invented details included.
"""

import json
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.scripted_provider import Script, ScriptedProvider
from tests.scripted_provider.script import Fault
from tests.scripted_provider.server import Server
from tests.scripted_provider.wire import Asked, Connection

FILE = Path(__file__).parent / "expansions.jsonl"
UTILITY_MODEL = "expander"


@cache
def expansions() -> dict[str, str]:
    """Return what the model wrote, in the lines that search asks for, by the query."""
    rows = [json.loads(line) for line in FILE.read_text("utf-8").splitlines()]
    return {row["query"]: answer_of(row) for row in rows}


def answer_of(row: dict[str, Any]) -> str:
    """Return one line of the file as the model says it."""
    return "\n".join([*(f"Q: {text}" for text in row["sub_queries"]), f"A: {row['answer']}"])


class ExpandingServer(Server):
    """A scripted provider whose utility model expands the queries that it knows, and fails on others."""

    async def _model(
        self, connection: Connection, asked: Asked, wire: ModuleType, model: str, body: dict[str, Any]
    ) -> None:
        said = expansions().get(body["messages"][-1]["content"])
        fault = None if said else Fault(kind="status", status=400)
        self.script(UTILITY_MODEL, [Script(reply=said or "", fault=fault)])
        await super()._model(connection, asked, wire, model, body)


@contextmanager
def expanding_provider() -> Generator[ScriptedProvider]:
    """Serve the utility model while the block runs."""
    with ScriptedProvider.running(server=ExpandingServer()) as provider:
        yield provider
