"""What of a prompt may be quoted to the person: what was looked up, the brief, and what was said before.

Nothing here is cut or copied, as every call carries it and hardly any provider looks at it.
"""

import re
from collections.abc import Iterable, Iterator

from tertulia.context import plan_items, prompts
from tertulia.context.domain import PastReply, PromptInputs, RecalledPassage
from tertulia.context.selection_state import PromptSelection
from tertulia.context.system_prompt import file_line
from tertulia.conversations.domain import ReplyKind, speaker_of
from tertulia.models.calls import QuotablePassage

BRIEF_TITLE = "Project brief"
FILE_LIST_TITLE = "Files"
#: Sections that speak to a model rather than to people.
INSTRUCTION_SECTION_PATTERN = re.compile(
    r"instruction|guideline|rules|\btools?\b|your (role|task)|how to|format", re.IGNORECASE
)
SECTION_HEADING_PATTERN = re.compile(r"#{1,6}\s+(?P<title>\S.*?)\s*#*")


def quotable_passages(fitted: PromptSelection, inputs: PromptInputs) -> Iterator[QuotablePassage]:
    """Yield all that may be quoted; of two with the same words the later one counts."""
    yield from recalled_passages(fitted, inputs)
    for pinned in fitted.pinned:
        place = f"{pinned.author or pinned.speaker}, pinned"
        yield QuotablePassage(pinned.text, " ".join(filter(None, (place, pinned.note))))
    for point in fitted.points:
        origin = prompts.point_origin(point)
        yield QuotablePassage(point.text, f"{origin[:1].upper()}{origin[1:]}, in short")
    yield from system_passages(fitted, inputs)
    for shown in fitted.rounds:
        if not shown.is_gap:
            yield QuotablePassage(shown.past.question, f"{shown.past.author or 'You'}, earlier")
            yield from reply_passages(shown.past.replies, inputs.model)
    if inputs.kind is not ReplyKind.ANSWER:
        yield from reply_passages(inputs.now.replies, inputs.model)


def recalled_passages(fitted: PromptSelection, inputs: PromptInputs) -> Iterator[QuotablePassage]:
    """Yield the passages that are cited by a number; of a pointer there are no words to quote."""
    for recalled in (*fitted.always, *fitted.named, *fitted.found):
        passage = recalled.passage
        if not passage.is_pointer and not is_echo(recalled, inputs):
            place = " ".join(filter(None, (prompts.source(recalled), recalled.note)))
            yield QuotablePassage(recalled.text, place, passage.number, passage.path)


def is_echo(recalled: RecalledPassage, inputs: PromptInputs) -> bool:
    """Tell whether a passage is the same question, asked before, or what the same model quoted then."""
    if recalled.passage.path:
        return False
    is_same_question = recalled.text.split() == inputs.now.question.split()
    return is_same_question or recalled.passage.speaker == speaker_of(inputs.model)


def system_passages(fitted: PromptSelection, inputs: PromptInputs) -> Iterator[QuotablePassage]:
    """Yield what people wrote in the system prompt; instructions are for models."""
    shown = {item.id for item in fitted.system}
    if "system:brief" in shown:
        yield from section_passages(inputs.brief, BRIEF_TITLE)
    if "system:files" in shown:
        yield QuotablePassage("\n".join(map(file_line, inputs.file_list.listed)), FILE_LIST_TITLE)
    if inputs.for_program:
        # A program has one place for orders and for material, which stands under headings.
        for instructions in inputs.instructions:
            yield from section_passages(instructions, "")


def reply_passages(replies: Iterable[PastReply], model: str) -> Iterator[QuotablePassage]:
    """Yield what others said: a model that quotes does not quote its own quotations."""
    for reply in replies:
        if speaking_model(reply) != model:
            yield QuotablePassage(reply.text, f"{plan_items.speaker_label(reply)}, earlier")


def speaking_model(reply: PastReply) -> str:
    """Return which model a reply is of: the second lane of one has a number, and who merges a prefix."""
    return reply.lane.removeprefix(f"{reply.kind}:").partition("#")[0]


def section_passages(text: str, title: str) -> Iterator[QuotablePassage]:
    """Yield the text under each heading, beginning with what stands under `title`, if that is one."""
    lines: list[str] = []
    for line in (*text.splitlines(), "# end"):
        heading = SECTION_HEADING_PATTERN.fullmatch(line.strip())
        if heading is None:
            lines.append(line)
            continue
        if title and not INSTRUCTION_SECTION_PATTERN.search(title) and any(map(str.strip, lines)):
            yield QuotablePassage("\n".join(lines), title)
        title, lines = heading["title"].strip("*_` "), []
