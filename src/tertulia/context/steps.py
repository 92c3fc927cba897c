"""Keeping a reply that works with tools inside its budget, step after step."""

from collections.abc import Callable
from dataclasses import replace

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
