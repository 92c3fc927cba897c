"""Keeping a reply that works with tools inside its budget, step after step, and noting what each adds."""

from collections.abc import Callable
from dataclasses import replace

from tertulia.context.prompt_plan import Item, LeftOut, PlanStep, Pointer, SectionKind, WhyNot
from tertulia.models.calls import Call, PromptMessage, ToolResult
from tertulia.models.prompt_frames import truncate_at_line_end
from tertulia.models.tokens import TokenCounter

RESULT_LEFT_OUT = "[What this gave was left out to make room. Call it again, for less, if you still need it.]"
RESULT_CUT = "\n[Cut to make room: call it again for a smaller part.]"
#: What is left of a result at least when it is cut.
CUT_RESULT_MIN_CHARS = 200


def fit_steps(call: Call, *, max_tokens: int, counter: TokenCounter) -> Call:
    """Return a call that fits: what tools gave earliest goes first, the newest is cut at a line."""
    places = [place for place, said in enumerate(call.messages) if said.tool_results]
    for place in places[:-1]:
        if counter.call(call) <= max_tokens:
            return call
        call = map_tool_results(call, place, lambda result: replace(result, text=RESULT_LEFT_OUT))
    newest = call.messages[places[-1]].tool_results if places else ()
    longest = max((len(tool_result.text) for tool_result in newest), default=0)
    while longest > CUT_RESULT_MIN_CHARS and counter.call(call) > max_tokens:
        longest //= 2
        call = map_tool_results(call, places[-1], lambda result, most_=longest: cut_result(result, most_))
    return call


def build_plan_step(before: Call, call: Call, *, number: int, counter: TokenCounter) -> PlanStep:
    """Return what a step adds to the one before: what was said and given since, and what made room for it."""
    added = call.messages[len(before.messages) :]
    return PlanStep(
        number=number,
        tokens=counter.call(call),
        items=tuple(item for said in added for item in step_items(said, number, counter=counter)),
        left_out=tuple(
            LeftOut(SectionKind.STEPS, result_item(new), WhyNot.NO_ROOM)
            for was, said in zip(before.messages, call.messages, strict=False)
            for old, new in zip(was.tool_results, said.tool_results, strict=True)
            if new.text == RESULT_LEFT_OUT != old.text
        ),
    )


def step_items(said: PromptMessage, number: int, *, counter: TokenCounter) -> list[Item]:
    """Return one message of a step as items: each result of a tool is one of its own."""
    if said.tool_results:
        return [
            replace(
                result_item(tool_result),
                tokens=counter.message(PromptMessage("user", "", tool_results=(tool_result,))),
                text=tool_result.text,
            )
            for tool_result in said.tool_results
        ]
    tokens = counter.message(said)
    if said.role == "user":
        return [Item(f"step:{number}:told", "What it was told meanwhile", tokens, text=said.text)]
    called = ", ".join(call.name for call in said.tool_calls)
    title = f"What it said in step {number - 1}, and asked for: {called}" if called else "What it said"
    return [Item(f"step:{number - 1}:said", title, tokens, Pointer(step=number - 1), text=said.text)]


def result_item(result: ToolResult) -> Item:
    """Return what a tool gave."""
    return Item(f"call:{result.call_id}", result.name, 0, Pointer(call_id=result.call_id))


def map_tool_results(call: Call, place: int, change: Callable[[ToolResult], ToolResult]) -> Call:
    """Return a call in which every result at one place is changed."""
    said = call.messages[place]
    results = tuple(change(tool_result) for tool_result in said.tool_results)
    shorter: PromptMessage = replace(said, tool_results=results)
    return replace(call, messages=(*call.messages[:place], shorter, *call.messages[place + 1 :]))


def cut_result(result: ToolResult, max_chars: int) -> ToolResult:
    """Return a result of at most so many characters, cut between lines where it has any."""
    if len(result.text) <= max_chars:
        return result
    return replace(result, text=truncate_at_line_end(result.text, max_chars) + RESULT_CUT)
