"""The words of a reply's steps: they are kept with its tools, and its receipt points at them there."""

from collections.abc import Mapping
from dataclasses import replace

from tertulia.context.prompt_plan import Item, Pointer
from tertulia.context.step_budget import RESULT_CUT
from tertulia.conversations import tool_runs
from tertulia.conversations.tool_runs import ERASED_RESULT, HIDDEN_RESULT, PRIVATE_RESULT, ToolRun
from tertulia.infra.db import Tx


class StepTexts:
    """Looks up what a model said before it used tools, and what they gave it."""

    def __init__(self, tx: Tx, reply_id: str) -> None:
        runs = tool_runs.hide_unreadable_results(tx, tool_runs.list_of_reply(tx, reply_id))
        self._runs = {run.id: run for run in runs}
        self._said = {said.step + 1: said.text for said in tool_runs.list_steps(tx, reply_id)}

    def is_hidden(self, pointer: Pointer) -> bool:
        """Tell whether a pointer leads to a result that the caller may not read."""
        run = self._runs.get(pointer.call_id)
        return run is not None and run.result in (HIDDEN_RESULT, PRIVATE_RESULT)

    def of(self, pointer: Pointer) -> str:
        """Return what a pointer leads to: steps go with their reply alone, so it is there."""
        if pointer.call_id:
            return shown_result(self._runs[pointer.call_id], pointer)
        calls = [run for run in self._runs.values() if run.step + 1 == pointer.step]
        lines = [f"{run.name} {run.arguments}" for run in calls]
        return "\n\n".join(filter(None, [self._said.get(pointer.step, ""), "\n".join(lines)]))


def shown_result(run: ToolRun, pointer: Pointer) -> str:
    """Return what a call gave, as far as the model was shown it."""
    return run.result[: pointer.end_char] + RESULT_CUT if pointer.end_char else run.result


def without_stored_text(item: Item, runs: Mapping[str, ToolRun]) -> Item:
    """Return an item of a step without the text that it points at; what is kept nowhere else stays in it."""
    pointer = item.pointer
    if pointer.step:
        return replace(item, text="")
    run = runs.get(pointer.call_id)
    if run is None:
        return item
    whole = item.text.removesuffix(RESULT_CUT)
    shown = pointer if whole == item.text else replace(pointer, end_char=len(whole))
    known = replace(item, pointer=shown, local_only=run.local_only)
    is_elsewhere = run.is_read_apart or run.result == ERASED_RESULT or shown_result(run, shown) == item.text
    return replace(known, text="") if is_elsewhere else known
