"""Trying a tool: the examples in its docstrings, or code that a person gives."""

from dataclasses import dataclass

from tertulia.core.errors import Invalid
from tertulia.core.principal import Principal
from tertulia.files.domain import File
from tertulia.files.modules import module_of
from tertulia.sandbox.domain import Status
from tertulia.tools.domain import Caller
from tertulia.tools.python.telling import cut_middle, own_frames
from tertulia.tools.python.workbench import Ran, Workbench

DOCTESTS = """
import doctest, importlib
_result = doctest.testmod(importlib.import_module({module!r}))
[_result.attempted, _result.failed]
"""
MOST_SHOWN = 50_000


@dataclass(frozen=True, slots=True)
class Tested:
    """How trying a tool went; examples are counted where they were run."""

    ok: bool
    status: Status
    seconds: float
    output: str
    value: str
    error: str
    attempted: int | None = None
    failed: int | None = None


async def run_test(file: File, code: str | None, *, bench: Workbench, by: Principal) -> Tested:
    """Try a tool in the sandbox; whatever it writes is thrown away."""
    caller = Caller(by, file.project_id, "", model_is_local=True)
    if code is not None:
        return as_tested(await bench.run(code, caller))
    module = module_of(file.path)
    if not module:
        raise Invalid("Only Python modules have examples to run: give some code instead.")
    return with_counts(as_tested(await bench.run(DOCTESTS.format(module=module), caller)))


def as_tested(ran: Ran) -> Tested:
    """Return how a run went."""
    outcome = ran.outcome
    return Tested(
        ok=outcome.status is Status.OK,
        status=outcome.status,
        seconds=outcome.seconds,
        output=cut_middle(ran.printed, MOST_SHOWN),
        value=cut_middle(outcome.value, MOST_SHOWN),
        error=cut_middle(own_frames(outcome.error), MOST_SHOWN),
    )


def with_counts(tested: Tested) -> Tested:
    """Return how examples went, by the two numbers that are the value of the run."""
    numbers = [int(part) for part in tested.value.strip("[]").split(",") if part.strip().isdecimal()]
    if not tested.ok or len(numbers) != 2:
        return tested
    attempted, failed = numbers
    return Tested(
        not failed, tested.status, tested.seconds, tested.output, "", tested.error, attempted, failed
    )
