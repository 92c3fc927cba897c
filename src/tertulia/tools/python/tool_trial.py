"""Trying a tool: the examples in its docstrings, or code that a person gives."""

from dataclasses import dataclass

from tertulia.core.errors import Invalid
from tertulia.core.principal import Principal
from tertulia.files.domain import File
from tertulia.files.tool_modules import module_name
from tertulia.sandbox.domain import RunStatus
from tertulia.tools.domain import ToolCaller
from tertulia.tools.python.code_runner import CodeRun, CodeRunner
from tertulia.tools.python.run_report import trim_traceback, truncate_middle

DOCTEST_CODE = """
import doctest, importlib
_result = doctest.testmod(importlib.import_module({module!r}))
[_result.attempted, _result.failed]
"""
TRIAL_OUTPUT_MAX_CHARS = 50_000


@dataclass(frozen=True, slots=True)
class ToolTrial:
    """How trying a tool went; examples are counted where they were run."""

    ok: bool
    status: RunStatus
    seconds: float
    output: str
    value: str
    error: str
    attempted: int | None = None
    failed: int | None = None


async def run_trial(file: File, code: str | None, *, code_runner: CodeRunner, by: Principal) -> ToolTrial:
    """Try a tool in the sandbox; whatever it writes is thrown away."""
    caller = ToolCaller(by, file.project_id, "", model_is_local=True)
    if code is not None:
        return to_trial(await code_runner.run(code, caller))
    module = module_name(file.path)
    if not module:
        raise Invalid("Only Python modules have examples to run: give some code instead.")
    return with_example_counts(to_trial(await code_runner.run(DOCTEST_CODE.format(module=module), caller)))


def to_trial(ran: CodeRun) -> ToolTrial:
    """Return how a run went."""
    outcome = ran.outcome
    return ToolTrial(
        ok=outcome.status is RunStatus.OK,
        status=outcome.status,
        seconds=outcome.seconds,
        output=truncate_middle(ran.printed, TRIAL_OUTPUT_MAX_CHARS),
        value=truncate_middle(outcome.value, TRIAL_OUTPUT_MAX_CHARS),
        error=truncate_middle(trim_traceback(outcome.error), TRIAL_OUTPUT_MAX_CHARS),
    )


def with_example_counts(tested: ToolTrial) -> ToolTrial:
    """Return how examples went, by the two numbers that are the value of the run."""
    numbers = [int(part) for part in tested.value.strip("[]").split(",") if part.strip().isdecimal()]
    if not tested.ok or len(numbers) != 2:
        return tested
    attempted, failed = numbers
    return ToolTrial(
        not failed, tested.status, tested.seconds, tested.output, "", tested.error, attempted, failed
    )
