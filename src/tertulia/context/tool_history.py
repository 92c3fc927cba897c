"""What a reply did with tools, told in later prompts: so nothing is done twice unawares."""

from collections.abc import Sequence

from tertulia.conversations.domain import ToolStatus, VisibleToolCall
from tertulia.models.prompt_frames import escape_frame_tags, frame_quotation, truncate_to_line

TOOL_HISTORY_ARGUMENTS_MAX_CHARS = 300
#: Characters of one result, and of all that a reply gets back which goes on.
TOOL_HISTORY_RESULT_MAX_CHARS = 2_000
TOOL_HISTORY_MAX_CHARS = 8_000
TOOL_HISTORY_UNKNOWN = (
    "it was cut off, and whether it ran is not known: say so, and do not run it again without asking"
)
TOOL_HISTORY_ENDINGS = {
    ToolStatus.DONE: "it ran",
    ToolStatus.FAILED: "it failed",
    ToolStatus.DENIED: "the person did not allow it, so it was not run",
    ToolStatus.EXPIRED: "nobody allowed it in time, so it was not run",
    ToolStatus.STOPPED: "it was stopped",
    ToolStatus.UNKNOWN: TOOL_HISTORY_UNKNOWN,
}
SIDE_EFFECTS_TEMPLATE = "(What you called for the reply above that can change something: {calls})"


def describe_side_effects(calls: Sequence[VisibleToolCall]) -> str:
    """Return what a reply called that can change something, and how that ended."""
    made = [
        describe_call(call) for call in calls if call.effect == "side" and call.status in TOOL_HISTORY_ENDINGS
    ]
    return SIDE_EFFECTS_TEMPLATE.format(calls="; ".join(made)) if made else ""


def describe_tool_work(calls: Sequence[VisibleToolCall]) -> str:
    """Return all that a reply did before it was cut off, and what that gave."""
    room, blocks = TOOL_HISTORY_MAX_CHARS, list[str]()
    for call in calls:
        if call.status not in TOOL_HISTORY_ENDINGS:
            continue
        given = escape_frame_tags(call.result[: min(TOOL_HISTORY_RESULT_MAX_CHARS, room)])
        room -= len(given)
        blocks += [f"{describe_call(call)}.", *([given] if given else [])]
    return (
        frame_quotation("output", *blocks, after="That is what you did with tools before.") if blocks else ""
    )


def describe_call(call: VisibleToolCall) -> str:
    """Return one call and how it ended."""
    arguments = truncate_to_line(call.arguments, TOOL_HISTORY_ARGUMENTS_MAX_CHARS)
    return f"{call.name}({arguments}): {TOOL_HISTORY_ENDINGS[call.status]}"
