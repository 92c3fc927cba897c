"""Keeping a reply that works with tools inside its budget, step after step, and noting what each adds."""

from collections.abc import Callable
from dataclasses import replace

from tertulia.context.plan import Item, LeftOut, Pointer, SectionKind, Step, WhyNot
from tertulia.models.calls import Call, Said, ToolResult
from tertulia.models.quoting import up_to_line
from tertulia.models.tokens import Counter

LEFT_OUT = "[What this gave was left out to make room. Call it again, for less, if you still need it.]"
CUT = "\n[Cut to make room: call it again for a smaller part.]"
#: What is left of a result at least when it is cut.
SHORTEST = 200


def fit_steps(call: Call, *, most: int, counter: Counter) -> Call:
    """Return a call that fits: what tools gave earliest goes first, the newest is cut at a line."""
    places = [place for place, said in enumerate(call.messages) if said.tool_results]
    for place in places[:-1]:
        if counter.call(call) <= most:
            return call
        call = changed(call, place, lambda result: replace(result, text=LEFT_OUT))
    newest = call.messages[places[-1]].tool_results if places else ()
    longest = max((len(one.text) for one in newest), default=0)
    while longest > SHORTEST and counter.call(call) > most:
        longest //= 2
        call = changed(call, places[-1], lambda result, most_=longest: cut(result, most_))
    return call


def step_of(before: Call, call: Call, *, number: int, counter: Counter) -> Step:
    """Return what a step adds to the one before: what was said and given since, and what made room for it."""
    added = call.messages[len(before.messages) :]
    return Step(
        number=number,
        tokens=counter.call(call),
        items=tuple(item for said in added for item in items_of(said, number, counter=counter)),
        left_out=tuple(
            LeftOut(SectionKind.STEPS, of_result(one), WhyNot.NO_ROOM)
            for was, said in zip(before.messages, call.messages, strict=False)
            for old, one in zip(was.tool_results, said.tool_results, strict=True)
            if one.text == LEFT_OUT != old.text
        ),
    )


def items_of(said: Said, number: int, *, counter: Counter) -> list[Item]:
    """Return one message of a step as items: each result of a tool is one of its own."""
    if said.tool_results:
        return [
            replace(of_result(one), tokens=counter.said(Said("user", "", tool_results=(one,))), text=one.text)
            for one in said.tool_results
        ]
    tokens = counter.said(said)
    if said.role == "user":
        return [Item(f"step:{number}:told", "What it was told meanwhile", tokens, text=said.text)]
    called = ", ".join(call.name for call in said.tool_calls)
    title = f"What it said in step {number - 1}, and asked for: {called}" if called else "What it said"
    return [Item(f"step:{number - 1}:said", title, tokens, Pointer(step=number - 1), text=said.text)]


def of_result(result: ToolResult) -> Item:
    """Return what a tool gave."""
    return Item(f"call:{result.call_id}", result.name, 0, Pointer(call_id=result.call_id))


def changed(call: Call, place: int, change: Callable[[ToolResult], ToolResult]) -> Call:
    """Return a call in which every result at one place is changed."""
    said = call.messages[place]
    results = tuple(change(one) for one in said.tool_results)
    shorter: Said = replace(said, tool_results=results)
    return replace(call, messages=(*call.messages[:place], shorter, *call.messages[place + 1 :]))


def cut(result: ToolResult, most: int) -> ToolResult:
    """Return a result of at most so many characters, cut between lines where it has any."""
    if len(result.text) <= most:
        return result
    return replace(result, text=up_to_line(result.text, most) + CUT)
