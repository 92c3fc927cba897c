"""`python -m evals.long_conversation`: hold the conversation, and look at every prompt that goes out."""

import argparse
import asyncio
import json
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from tests.context_world import conversation_with
from tests.scripted_provider import Script, ScriptedProvider
from tests.search_world import until
from tests.world import World

from evals.long_conversation import note_taker
from evals.long_conversation.material import Fact, Reversal, has_words
from evals.long_conversation.note_taker import NOTE_TAKER, Utility
from evals.long_conversation.schedule import PlannedRound, plan_rounds
from evals.progress import Progress

LIMITS = (4_000, 10_000, 64_000)
NEEDED_SHARE_MIN = 0.97
#: On a busy machine a round may take so long to be summarised and indexed: its speed is not judged here.
REST_TIMEOUT_SECONDS = 600.0
UNFINISHED_SQL = """SELECT EXISTS (SELECT 1 FROM jobs WHERE kind = 'context' AND failed_at IS NULL)
    OR EXISTS (SELECT 1 FROM sources WHERE state = 'waiting' OR (state = 'ready' AND embedder = ''))"""


@dataclass(slots=True)
class Outcome:
    """How the prompts of one conversation were."""

    limit: int
    utility: Utility
    asked: int = 0
    #: Questions whose prompt lacked what they need.
    missing: list[str] = field(default_factory=list[str])
    #: Prompts that told something as current which had been taken back, with the question.
    stale: list[str] = field(default_factory=list[str])
    prompts: int = 0

    @property
    def share(self) -> float:
        """Return the share of questions that had what they need."""
        return 1 - len(self.missing) / self.asked if self.asked else 1.0

    @property
    def holds(self) -> bool:
        """Tell whether it is as it should be."""
        return self.share >= NEEDED_SHARE_MIN and not self.stale


def main() -> int:
    """Run what the command line asks for; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m evals.long_conversation")
    parser.add_argument("--rounds", type=int, default=400)
    parser.add_argument("--limits", type=int, nargs="*", default=LIMITS, help="tokens of a prompt at most")
    parser.add_argument("--utility", type=Utility, nargs="*", default=list(Utility))
    parser.add_argument("--model", default="scripted-fast")
    parser.add_argument("--seed", type=int, default=11)
    options = parser.parse_args()
    rounds = plan_rounds(options.rounds, seed=options.seed)
    outcomes = list[Outcome]()
    for limit in options.limits:
        for utility in options.utility:
            outcomes.append(asyncio.run(hold(rounds, Outcome(limit, utility), model=options.model)))
            show(outcomes)
    return int(not all(outcome.holds for outcome in outcomes))


async def hold(rounds: list[PlannedRound], outcome: Outcome, *, model: str) -> Outcome:
    """Hold the conversation on a new server, and judge each prompt as it goes out."""
    progress = Progress()
    name = f"{outcome.limit} tokens, {outcome.utility} utility model"
    with tempfile.TemporaryDirectory() as folder, note_taker.running(outcome.utility) as provider:
        env = {
            "TERTULIA_EMBEDDER": "builtin",
            "TERTULIA_BUILTIN_MODEL": "off",
            "TERTULIA_UTILITY_MODEL": f"openai/{NOTE_TAKER}",
        }
        async with World.open(Path(folder) / "data", provider=provider, **env) as world:
            person = await world.person(role="owner")
            conversation = await conversation_with(person, max_tokens=outcome.limit)
            taken_back: list[Reversal] = []
            for done, planned in enumerate(rounds, start=1):
                provider.script(model, Script(reply=planned.answer))
                await person.ask(planned.question, conversation_id=conversation, models=[f"openai/{model}"])
                judge(outcome, planned, prompt_of(provider, model, planned.question), taken_back)
                if planned.reverses:
                    taken_back.append(planned.reverses)
                await rest(world)
                progress.tell(name, done, len(rounds))
    return outcome


async def rest(world: World) -> None:
    """Wait until what was said is summarised and indexed."""

    async def is_at_rest() -> bool:
        return not await world.db.read(lambda tx: tx.value(UNFINISHED_SQL), by=None)

    await until(is_at_rest, seconds=REST_TIMEOUT_SECONDS)


def prompt_of(provider: ScriptedProvider, model: str, question: str) -> str:
    """Return what a model was shown last, without the question itself, which ends it."""
    told = provider.requests(model)[-1].body["messages"]
    provider.server.requests.clear()
    return "\n".join(text_of(message["content"]) for message in told).removesuffix(question)


def text_of(content: Any) -> str:
    """Return a message of the wire as text."""
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


def judge(outcome: Outcome, planned: PlannedRound, prompt: str, taken_back: list[Reversal]) -> None:
    """Look whether a prompt has what its question needs, and nothing that was taken back."""
    outcome.prompts += 1
    outcome.stale += [
        f"{one.old} (asked: {planned.question})" for one in taken_back if one.is_told_as_current(prompt)
    ]
    if planned.needed is None:
        return
    outcome.asked += 1
    needle = planned.needed.needle if isinstance(planned.needed, Fact) else planned.needed.new
    if not has_words(prompt, needle):
        outcome.missing.append(planned.question)


def show(outcomes: list[Outcome]) -> None:
    """Print a table, and below it what was missing."""
    console = Console(width=150)
    table = Table("limit", "utility model", "questions", "with what they need", "prompts", "stale prompts")
    for outcome in outcomes:
        share = f"{outcome.share:.1%}"
        table.add_row(
            f"{outcome.limit:,}", outcome.utility, str(outcome.asked), share, str(outcome.prompts),
            str(len(outcome.stale)),
        )  # fmt: skip
    console.print(table)
    for outcome in outcomes:
        for label, lines in (("missing", outcome.missing), ("stale", outcome.stale)):
            for line in lines[:40]:
                console.print(f"{outcome.limit} {outcome.utility} {label}: {line}", highlight=False)


if __name__ == "__main__":
    sys.exit(main())
