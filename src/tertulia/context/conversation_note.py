"""What stands right before the question: what day it is, and which round of which conversation.

All of it changes from question to question, so it may not stand where prompts are cached.
"""

from collections.abc import Iterator, Sequence
from datetime import date

from tertulia.context.domain import PromptInputs
from tertulia.context.prompt_plan import Item
from tertulia.dates.wording import MONTH_NAMES, WEEKDAY_NAMES
from tertulia.models.prompt_frames import escape_attribute

#: A conversation of more rounds is called a long one.
LONG_CONVERSATION_MIN_ROUNDS = 20


def note_items(inputs: PromptInputs) -> list[Item]:
    """Return what is told of the conversation, line by line; a program is told nothing."""
    if inputs.for_program:
        return []
    return [Item(f"conversation:{name}", title, tokens=0, text=text) for name, title, text in _lines(inputs)]


def note_text(items: Sequence[Item]) -> str:
    """Return the lines in their frame."""
    return "\n".join(["<conversation>", *(item.text for item in items), "</conversation>"])


def _lines(inputs: PromptInputs) -> Iterator[tuple[str, str, str]]:
    facts = inputs.facts
    if facts.today:
        yield "date", "Today's date", f"Today is {format_day(facts.today)} ({facts.time_zone})."
    if inputs.now.number:
        yield "round", "Which round of the conversation this is", round_line(inputs)
    if inputs.now.number > LONG_CONVERSATION_MIN_ROUNDS:
        yield "length", "That the conversation is long", length_line(inputs)


def round_line(inputs: PromptInputs) -> str:
    """Return which round of which conversation this is."""
    title = f' "{escape_attribute(inputs.facts.title.text)}"' if inputs.facts.title.text else ""
    return f"This is round {inputs.now.number} of the conversation{title}."


def length_line(inputs: PromptInputs) -> str:
    """Return where earlier rounds of a long conversation are to be found."""
    earlier = (
        "`search_project` finds what was said earlier"
        if inputs.can_read
        else "of earlier ones only what was summarised, or found for this question"
    )
    return f"It has {inputs.now.number} rounds: recent ones are shown above, {earlier}."


def format_day(day: date) -> str:
    """Return a day with its weekday, in English whatever the server speaks."""
    return f"{WEEKDAY_NAMES[day.weekday()]}, {day.day} {MONTH_NAMES[day.month - 1]} {day.year}"
