"""The tool that reads on in a result that was too long to be given whole."""

import asyncio
import re
from collections.abc import Iterator
from itertools import islice
from typing import Annotated

import msgspec
from msgspec import Meta

from tertulia.conversations import tool_runs, tool_sources
from tertulia.conversations.tool_runs import ToolRun
from tertulia.core.errors import Invalid
from tertulia.infra.db import Database, Tx
from tertulia.models.prompt_frames import escape_frame_tags, frame_quotation
from tertulia.tools.domain import Effect, ToolCaller, ToolOutput
from tertulia.tools.parameters import parameters_of

READ_TOOL_RESULT = "read_tool_result"
#: Characters of one reading; what a loop lets through is a little more.
READ_RESULT_MAX_CHARS = 16_000
RESULT_MATCHES_MAX = 20
RESULT_MATCH_CONTEXT_CHARS = 300
RESULT_OFFSET_MAX = 1_000_000_000


class ReadResultArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which result, and what of it."""

    call: Annotated[str, Meta(description="The call whose result was cut, as the note in it names it.")]
    offset: Annotated[
        int, Meta(ge=0, le=RESULT_OFFSET_MAX, description="How many characters to pass over.")
    ] = 0
    find: Annotated[
        str | None, Meta(description="Give the places from there on where this stands, instead of a part.")
    ] = None


class ReadToolResult:
    """Reads results of the same reply."""

    name = READ_TOOL_RESULT
    description = (
        "Read on in the result of an earlier call of yours that was cut because it is long: "
        f"{READ_RESULT_MAX_CHARS:,} characters from an offset, or the places where some words stand."
    )
    shape = ReadResultArguments
    parameters = parameters_of(ReadResultArguments)
    effect = Effect.READ

    def __init__(self, db: Database) -> None:
        self._db = db

    async def run(self, arguments: ReadResultArguments, caller: ToolCaller) -> ToolOutput:
        """Return the wanted part, or the places that were looked for."""

        def look(tx: Tx) -> tuple[str, ToolRun, frozenset[str]] | None:
            run = tool_runs.find(tx, caller.reply_id, arguments.call)
            text = tool_runs.read_full_result(tx, run) if run else ""
            return (text, run, tool_sources.find_source_ids(tx, run)) if run and text else None

        found = await self._db.read(look, by=caller.reader)
        if found is None:
            raise Invalid(f"There is no call {arguments.call[:80]!r} in this reply that gave anything.")
        text, run, sources = found
        if arguments.offset >= len(text):
            raise Invalid(f"The result has {len(text):,} characters: choose a smaller offset.")
        wanted = arguments.find
        told = await asyncio.to_thread(render_matches, text, wanted, arguments.offset) if wanted else None
        return ToolOutput(
            told or render_part(text, arguments.offset),
            local_only=run.local_only,
            quotes=frozenset(run.quotes),
            files=sources - frozenset(run.quotes),
            is_private=run.is_private,
        )


def read_on_hint(call_id: str) -> str:
    """Return how a model reads the rest of a result."""
    return f"Read on with {READ_TOOL_RESULT}(call={call_id!r}, offset=…), or name words to find in it."


def render_part(text: str, offset: int) -> str:
    """Return a part of a result, and how to go on."""
    shown = text[offset : offset + READ_RESULT_MAX_CHARS]
    end = offset + len(shown)
    left = f"{len(text) - end:,} characters are left: go on with offset={end}." if end < len(text) else ""
    return frame_quotation(
        f'output characters="{offset}-{end} of {len(text)}"', escape_frame_tags(shown), after=left
    )


def text_around(text: str, at: int) -> str:
    """Return what stands around a match."""
    return text[max(0, at - RESULT_MATCH_CONTEXT_CHARS) : at + RESULT_MATCH_CONTEXT_CHARS]


def render_matches(text: str, wanted: str, offset: int) -> str:
    """Return the places where words stand in a result, each with what is around it."""
    found = list(islice(find_matches(text, wanted, offset), RESULT_MATCHES_MAX + 1))
    if not found:
        return f"{wanted[:80]!r} does not stand in it after the first {offset:,} characters."
    shown = found[:RESULT_MATCHES_MAX]
    blocks = [f"At {at}: …{escape_frame_tags(text_around(text, at))}…" for at in shown]
    left = f"There are more: go on with offset={shown[-1] + 1}." if len(found) > RESULT_MATCHES_MAX else ""
    return frame_quotation(f'output of="{len(text)} characters"', *blocks, after=left)


def find_matches(text: str, wanted: str, offset: int) -> Iterator[int]:
    """Yield where words stand, however they are written; places that one excerpt shows count once."""
    last = -RESULT_MATCH_CONTEXT_CHARS
    for match in re.compile(re.escape(wanted), re.IGNORECASE).finditer(text, offset):
        if match.start() - last >= RESULT_MATCH_CONTEXT_CHARS:
            last = match.start()
            yield last
