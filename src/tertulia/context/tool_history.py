"""What a reply did with tools, told in later prompts: so nothing is looked up or done twice unawares."""

import re
from collections.abc import Sequence
from datetime import date, datetime

from tertulia.conversations.domain import (
    DateCorrection,
    SavedFile,
    ToolStatus,
    VisibleToolCall,
    WrittenItem,
    WrittenKind,
)
from tertulia.core.plurals import count_noun
from tertulia.dates.wording import describe_day, describe_span
from tertulia.models.prompt_frames import (
    escape_frame_tags,
    frame_quotation,
    read_quotation,
    truncate_to_line,
)

TOOL_HISTORY_ARGUMENTS_MAX_CHARS = 300
#: Characters of one result, and of all that a reply gets back which goes on.
TOOL_HISTORY_RESULT_MAX_CHARS = 2_000
TOOL_HISTORY_MAX_CHARS = 8_000
#: In later rounds: characters of one result, of the places that a call looked up, of all calls of a reply.
PAST_RESULT_MAX_CHARS = 300
PAST_PLACES_MAX_CHARS = 300
PAST_CALLS_MAX_CHARS = 2_000
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
OWN_CALLS_NOTE = "That is what you called for the reply above, in short: do not look up or make it again."
OTHERS_CALLS_TEMPLATE = "That is what {speaker} called for the reply above: it need not be made again."
PROJECT_LOOKUP_TOOLS = frozenset(
    ("list_project_files", "read_project_file", "search_project", "read_tool_result")
)
#: Where in its result a call of ours says which lines of a file, or which passages, it gave.
LOOKED_UP_PLACE_PATTERN = re.compile(
    r'<file path="[^"]*" (lines="[^"]*")>|<passage number="\d+" source="([^"]*)">'
)


def describe_past_calls(calls: Sequence[VisibleToolCall]) -> str:
    """Return what a reply made and looked up with tools, in short, for the model that wrote it."""
    return _quote_calls([call for call in calls if call.status in TOOL_HISTORY_ENDINGS], OWN_CALLS_NOTE)


def describe_others_calls(calls: Sequence[VisibleToolCall], *, speaker: str) -> str:
    """Return what a reply made, changed or found out, for the other models; they can read files, too."""
    told = [call for call in calls if not is_lookup(call) and call.status in TOOL_HISTORY_ENDINGS]
    return _quote_calls(told, OTHERS_CALLS_TEMPLATE.format(speaker=speaker))


def describe_corrections(corrections: Sequence[DateCorrection]) -> tuple[str, ...]:
    """Return which days a reply names wrongly, each with the right one in a line."""
    return tuple(
        f"The reply names a wrong date{of_what(correction)}: it says "
        f'"{truncate_to_line(correction.said, PAST_RESULT_MAX_CHARS)}", '
        f"and the right date is {correction.right}."
        for correction in corrections
    )


def of_what(correction: DateCorrection) -> str:
    """Return of which task or event a date is, where its id is known."""
    id_ = correction.event_id or correction.task_id
    return f" for {id_}" if id_ else ""


def describe_changes(calls: Sequence[VisibleToolCall]) -> tuple[str, ...]:
    """Return what a reply made or changed, each in a line that can be understood by itself.

    These lines are kept: what a call read stands in none of them, for that may be deleted.
    """
    made = [call for call in calls if is_change(call) and call.status in TOOL_HISTORY_ENDINGS]
    return tuple(map(describe_change, made))


def is_change(call: VisibleToolCall) -> bool:
    """Tell whether a call may have changed something, or has written a file or drawn a picture."""
    return call.effect == "side" or bool(call.saved or call.attachments or call.written)


def is_lookup(call: VisibleToolCall) -> bool:
    """Tell whether a call only looked into the project, as every model can."""
    return call.name in PROJECT_LOOKUP_TOOLS


def _quote_calls(calls: Sequence[VisibleToolCall], note: str) -> str:
    """Return calls as a quotation, for tools may say anything; of many, changes come before look-ups."""
    lines = {call.id: f"- {describe_past_call(call)}" for call in calls}
    room, kept = PAST_CALLS_MAX_CHARS, set[str]()
    for call in sorted(calls, key=lambda call: not is_change(call)):
        room -= len(lines[call.id])
        if room >= 0 or not kept:
            kept.add(call.id)
    shown = [lines[call.id] for call in calls if call.id in kept]
    if len(kept) < len(lines):
        shown.append(f"- and {len(lines) - len(kept)} more")
    return frame_quotation("output", *shown, after=note) if shown else ""


def describe_past_call(call: VisibleToolCall) -> str:
    """Return one call in a line: how it ended, what it made, and what it gave or where it looked."""
    if call.effect == "side":
        return describe_change(call)
    if places := looked_up_places(call):
        return f"{describe_change(call)}; it was shown {places}"
    given = describe_result(call)
    return f"{describe_change(call)}; it gave: {given}" if given else describe_change(call)


def describe_change(call: VisibleToolCall) -> str:
    """Return one call in a line: what it was, how it ended, and what it made or changed."""
    told = [describe_call(call)]
    if call.saved:
        told.append(f"it wrote {', '.join(map(describe_saved_file, call.saved))}")
    if call.attachments:
        ids = ", ".join(attachment.id for attachment in call.attachments)
        told.append(f"it drew {count_noun(len(call.attachments), 'picture')} (id {ids})")
    told += map(describe_written_item, call.written)
    if call.effect == "side" and call.result and not call.written:
        told.append(f"it gave: {truncate_to_line(call.result, PAST_RESULT_MAX_CHARS)}")
    return "; ".join(told)


def describe_result(call: VisibleToolCall) -> str:
    """Return the beginning of what a call gave; of an error that is there to its end, the last line."""
    given = read_quotation(call.result)
    is_whole = len(call.result) == call.length
    if call.status is ToolStatus.FAILED and is_whole:
        given = given.rpartition("\n")[2]
    return truncate_to_line(given, PAST_RESULT_MAX_CHARS)


def describe_saved_file(saved: SavedFile) -> str:
    """Return a file that a call has written, by its path, version and id."""
    return (
        f"{truncate_to_line(saved.path, PAST_RESULT_MAX_CHARS)} (version {saved.version}, id {saved.file_id})"
    )


def describe_written_item(item: WrittenItem) -> str:
    """Return a task or event that a call has written, by its id, title and exact time."""
    title = truncate_to_line(item.title, PAST_RESULT_MAX_CHARS)
    named = f"{item.kind} {item.id}".strip()
    which = f", recurrence_id {item.recurrence_id}" if item.recurrence_id else ""
    when = f", {describe_written_time(item)}" if item.start else ""
    return f"it {item.action} the {named} “{title}”{when}{which}"


def describe_written_time(item: WrittenItem) -> str:
    """Return from when to when a task or event is, with weekday and zone."""
    if item.kind is WrittenKind.TASK:
        days = [("from", item.start if item.start != item.due_date else ""), ("due", item.due_date)]
        return ", ".join(f"{word} {describe_day(date.fromisoformat(day))}" for word, day in days if day)
    if "T" in item.start:
        end = datetime.fromisoformat(item.end) if item.end else None
        return describe_span(datetime.fromisoformat(item.start), end, item.time_zone)
    return describe_span(
        date.fromisoformat(item.start), date.fromisoformat(item.end) if item.end else None, item.time_zone
    )


def looked_up_places(call: VisibleToolCall) -> str:
    """Return which lines of a file, or which passages, a call was shown."""
    places = [lines or source for lines, source in LOOKED_UP_PLACE_PATTERN.findall(call.result)]
    return truncate_to_line("; ".join(dict.fromkeys(places)), PAST_PLACES_MAX_CHARS)


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
