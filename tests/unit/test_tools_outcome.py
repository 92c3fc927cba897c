"""A tool that was cut off may have done its work: whoever asked is told that nobody knows."""

import asyncio

import msgspec
import pytest

from tertulia.core.principal import Principal, Role
from tertulia.models.calls import ToolCall
from tertulia.tools.domain import Effect, ToolCaller, ToolOutput
from tertulia.tools.errors import OutcomeUnknown
from tertulia.tools.registry import ToolRegistry

CALLER = ToolCaller(Principal("usr_1", "wsp_1", Role.MEMBER), "prj_1", "cnv_1", model_is_local=False)


class Nothing(msgspec.Struct, frozen=True):
    """No arguments."""


class Slow:
    """Takes longer than it may."""

    name = "slow"
    description = "Slow."
    shape = Nothing
    parameters: dict[str, object] = {}  # noqa: RUF012 - as every tool has it

    def __init__(self, effect: Effect) -> None:
        self.effect = effect

    async def run(self, arguments: Nothing, caller: ToolCaller) -> ToolOutput:
        await asyncio.sleep(5)
        return ToolOutput("late")


class Lost(Slow):
    """Loses its server on the way."""

    async def run(self, arguments: Nothing, caller: ToolCaller) -> ToolOutput:
        raise OutcomeUnknown("The line went dead.")


@pytest.mark.parametrize("kind", [Slow, Lost])
@pytest.mark.parametrize("effect", list(Effect))
async def test_only_what_changes_something_can_leave_one_in_doubt(kind: type[Slow], effect: Effect) -> None:
    registry = ToolRegistry([kind(effect)], seconds=0.02)
    result = await registry.run(ToolCall("c", "slow", "{}"), CALLER)
    assert (result.failed, result.unknown) == (True, effect is Effect.SIDE)
