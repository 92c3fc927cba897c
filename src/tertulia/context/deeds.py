"""What a reply did with tools, told in later prompts: so nothing is done twice unawares."""

from collections.abc import Sequence

from tertulia.conversations.domain import ToolStatus, ToolUse
from tertulia.models.quoting import framed, inert, on_one_line

LONGEST_ARGUMENTS = 300
#: Characters of one result, and of all that a reply gets back which goes on.
LONGEST_RESULT = 2_000
MOST = 8_000
UNKNOWN = "it was cut off, and whether it ran is not known: say so, and do not run it again without asking"
ENDED = {
    ToolStatus.DONE: "it ran",
    ToolStatus.FAILED: "it failed",
    ToolStatus.DENIED: "the person did not allow it, so it was not run",
    ToolStatus.EXPIRED: "nobody allowed it in time, so it was not run",
    ToolStatus.STOPPED: "it was stopped",
    ToolStatus.UNKNOWN: UNKNOWN,
}
CHANGES = "(What you called for the reply above that can change something: {calls})"


def changes_of(calls: Sequence[ToolUse]) -> str:
    """Return what a reply called that can change something, and how that ended."""
    made = [told(call) for call in calls if call.effect == "side" and call.status in ENDED]
    return CHANGES.format(calls="; ".join(made)) if made else ""


def work_of(calls: Sequence[ToolUse]) -> str:
    """Return all that a reply did before it was cut off, and what that gave."""
    room, blocks = MOST, list[str]()
    for call in calls:
        if call.status not in ENDED:
            continue
        given = inert(call.result[: min(LONGEST_RESULT, room)])
        room -= len(given)
        blocks += [f"{told(call)}.", *([given] if given else [])]
    return framed("output", *blocks, after="That is what you did with tools before.") if blocks else ""


def told(call: ToolUse) -> str:
    """Return one call and how it ended."""
    return f"{call.name}({on_one_line(call.arguments, LONGEST_ARGUMENTS)}): {ENDED[call.status]}"
