"""How fast a prompt is put together, however long the talk and however many the files."""

import asyncio
import gc
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter, process_time

from bench import context_caching
from bench.context_seeding import Stage, seed_stage
from bench.figures import Measure, Point, milliseconds
from tertulia.context.domain import PromptInputs, RecallResult
from tertulia.context.prompt_assembly import assemble_prompt
from tertulia.context.prompt_inputs import gather_inputs
from tertulia.infra.db import Database, Tx
from tertulia.infra.db.sqlite.database import SqliteDatabase
from tertulia.models.domain import Model, Tier
from tertulia.models.token_calibration import token_ratio_of

ABOUT = "A prompt, put together without its search"
AIM_MS = 30.0
#: The first prompts of a process load vocabularies, and count what is not known yet.
WARMING = 5
WINDOW, REPLY = 400_000, 32_000
MODELS = (
    Model("gpt-5", "openai", "gpt-5", "GPT-5", WINDOW, REPLY, Tier.SMART),
    Model("gpt-5-nano", "openai", "gpt-5-nano", "GPT-5 nano", WINDOW, REPLY, Tier.CHEAP),
)


@dataclass(frozen=True, slots=True)
class Seen:
    """What was measured at one size for one model."""

    messages: int
    files: int
    model: Model
    seconds: list[float] = field(default_factory=list[float])
    #: Processor seconds: on a busy machine these are nearer the truth.
    worked: list[float] = field(default_factory=list[float])


def measure(
    place: Path,
    provider_url: str,
    *,
    sizes: Sequence[tuple[int, int]],
    times: int,
    say: Callable[[str], None],
) -> list[Measure]:
    """Put prompts together in talks and projects of each size, then talk and look what is cached."""
    seen: list[Seen] = []
    for messages, files in sizes:
        say(f"context: {messages:,} messages, {files:,} files")
        data_dir = place / f"context{messages}"
        data_dir.mkdir()
        seen += asyncio.run(measure_size(data_dir, messages, files, times))
    measures = [one for model in MODELS for one in figures([was for was in seen if was.model is model])]
    say("context: what is cached")
    return measures + context_caching.measure(place / "caching", provider_url)


async def measure_size(data_dir: Path, messages: int, files: int, times: int) -> list[Seen]:
    """Put prompts together for one conversation."""
    names = [model.id for model in MODELS]
    stage = await seed_stage(data_dir, messages=messages, files=files, models=names)
    seen = [Seen(messages, files, model) for model in MODELS]
    db = SqliteDatabase(data_dir / "tertulia.db")
    try:
        # As the server does: what is there by now stays, and is not looked through for garbage.
        gc.freeze()
        for number in range(-WARMING, times):
            for one in seen:
                wall, worked = await seconds_for(one.model, stage, stage.memory(), db)
                if number >= 0:
                    one.seconds.append(wall)
                    one.worked.append(worked)
    finally:
        gc.unfreeze()
        db.close()
    return seen


async def seconds_for(model: Model, stage: Stage, memory: RecallResult, db: Database) -> tuple[float, float]:
    """Do what a reply does between its search and its model, and return how long that takes."""
    reply = stage.replies[model.id]

    def look(tx: Tx) -> tuple[PromptInputs, float]:
        return gather_inputs(tx, reply, tier=model.tier, memory=memory), token_ratio_of(tx, model)

    began, worked = perf_counter(), process_time()
    inputs, ratio = await db.read(look, by=stage.seeded.principal)
    assemble_prompt(inputs, model, ratio=ratio)
    return perf_counter() - began, process_time() - worked


def figures(seen: Sequence[Seen]) -> list[Measure]:
    """Return one model's figures, the sizes side by side."""
    model = seen[0].model

    def points(values: Callable[[Seen], list[float]], which: int, aim: float | None = None) -> list[Point]:
        return [
            Point(f"{one.messages:,}/{one.files:,}", milliseconds(values(one))[which], aim_at)
            for one in seen
            for aim_at in [aim if one is seen[-1] else None]
        ]

    note = "by messages/files"
    return [
        Measure(ABOUT, f"{model.tier} model, median", "ms", points(lambda one: one.seconds, 0), note),
        Measure(ABOUT, f"{model.tier} model, p95", "ms", points(lambda one: one.seconds, 1, AIM_MS), note),
        Measure(
            ABOUT, f"{model.tier} model, processor time, p95", "ms", points(lambda one: one.worked, 1), note
        ),
    ]
