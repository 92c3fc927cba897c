"""The passages of a prompt that can be quoted, each with where it came from."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tertulia.models.calls import Call, PromptMessage
from tertulia.models.prompt_frames import QUOTATION_NOTICE

QUOTABLE_PASSAGE_MAX_CHARS = 700
#: Our own earlier replies were only quotes.
LIBRARIAN_SPEAKER = "librarian"
#: Sections that speak to a model rather than to people.
INSTRUCTION_SECTION_PATTERN = re.compile(
    r"instruction|guideline|rules|\btools?\b|your (role|task)|how to|format", re.IGNORECASE
)
SECTION_HEADING_PATTERN = re.compile(r"#{1,6}\s+(?P<title>\S.*?)\s*#*")
OPENING_TAG_PATTERN = re.compile(r"<(?P<name>[a-zA-Z][\w-]*)(?P<attributes>(?:\s+[\w-]+=\"[^\"]*\")*)\s*>")
CLOSING_TAG_PATTERN = re.compile(r"</[a-zA-Z][\w-]*\s*>")
TAG_ATTRIBUTE_PATTERN = re.compile(r"\b(?:path|title|name|source)=\"([^\"]+)\"")
LOCATION_PATTERN = re.compile(r"(?:\d+\.\s*)?\[(?P<where>[^\]\n]{2,120})\]:?\s*(?P<rest>.*)")
#: What is quoted to a model stands before what was said, in frames of its own.
LEADING_FRAMES_PATTERN = re.compile(
    r'(?:<(passages|files|pinned|summary|reply)(?: speaker="[^"]*")?>\n.*?\n</\1>\s*)+', re.DOTALL
)
FRAMED_REPLY_PATTERN = re.compile(r'<reply speaker="([^"]*)">\n(.*?)\n</reply>', re.DOTALL)
PINNED_MESSAGE_PATTERN = re.compile(r'<message speaker="([^"]*)" round="\d+">\n(.*?)\n</message>', re.DOTALL)
SUMMARY_POINT_PATTERN = re.compile(r"^- (.+?) \(round ([\d, ]+)\)$", re.MULTILINE)
NUMBERED_PASSAGE_PATTERN = re.compile(
    r'<passage number="(\d+)" source="([^"]*)">\n(.*?)\n</passage>', re.DOTALL
)
SPEAKER_NAME = r"(?:agent:)?[\w./:@-]{2,80}?"
#: How a prompt tells who speaks: `[name]:`, `**name**:` or `name said:`.
SPEAKER_PATTERN = re.compile(
    rf"(?:\[({SPEAKER_NAME})\]:?|\*\*({SPEAKER_NAME})\*\*:|({SPEAKER_NAME}) said:)\s+"
)


@dataclass(frozen=True, slots=True)
class QuotablePassage:
    """Some sentences and where they stand."""

    text: str
    source: str
    #: The number under which a passage that was looked up is cited; 0 for all others.
    number: int = 0


def passages_of(call: Call) -> list[QuotablePassage]:
    """Return all that may be quoted: what was looked up, the system text, and what was said before."""
    earlier = call.messages[: last_question_index(call.messages)]
    said = [passage for message in earlier for passage in message_passages(message)]
    framed = [passage for frame in map(leading_frames, call.messages) for passage in framed_passages(frame)]
    return [*framed, *section_passages(call.system), *said]


def framed_passages(frame: str) -> Iterator[QuotablePassage]:
    """Yield what is quoted in frames: numbered passages, pinned messages, points of a summary, replies."""
    for number, where, text in NUMBERED_PASSAGE_PATTERN.findall(frame):
        yield QuotablePassage(text, where, int(number))
    for speaker, text in PINNED_MESSAGE_PATTERN.findall(frame):
        yield QuotablePassage(text, f"{speaker}, pinned")
    for speaker, text in FRAMED_REPLY_PATTERN.findall(frame):
        if speaker.lower() != LIBRARIAN_SPEAKER:
            yield from (QuotablePassage(paragraph, f"{speaker}, earlier") for paragraph in paragraphs(text))
    for text, rounds in SUMMARY_POINT_PATTERN.findall(
        NUMBERED_PASSAGE_PATTERN.sub("", PINNED_MESSAGE_PATTERN.sub("", FRAMED_REPLY_PATTERN.sub("", frame)))
    ):
        yield QuotablePassage(text, f"Round {rounds}, in short")


def question_of(call: Call) -> str:
    """Return what the person asks, without what was put before it."""
    place = last_question_index(call.messages)
    return strip_frames(call.messages[place]) if place < len(call.messages) else ""


def last_question_index(messages: tuple[PromptMessage, ...]) -> int:
    """Return the place of the last thing the person said."""
    asked = (said.role == "user" and strip_frames(said).strip() for said in messages)
    places = [place for place, words in enumerate(asked) if words]
    return places[-1] if places else len(messages)


def leading_frames(message: PromptMessage) -> str:
    """Return the frames that a message of ours begins with."""
    found = LEADING_FRAMES_PATTERN.match(message.text) if message.role == "user" else None
    return found[0] if found else ""


def strip_frames(message: PromptMessage) -> str:
    """Return what was really said."""
    return message.text[len(leading_frames(message)) :]


def message_passages(message: PromptMessage) -> Iterator[QuotablePassage]:
    """Yield the paragraphs of a message; our own earlier replies were only quotes."""
    words = strip_frames(message)
    labelled = SPEAKER_PATTERN.match(words)
    speaker = labelled[labelled.lastindex or 0].removeprefix("agent:") if labelled else ""
    if message.role == "user" and speaker.lower() in ("", "user", "you"):
        where = "You, earlier"
    elif labelled and speaker.lower() != LIBRARIAN_SPEAKER:
        where = f"{speaker}, earlier"
    else:
        return
    for paragraph in paragraphs(words[labelled.end() :] if labelled else words):
        yield QuotablePassage(paragraph, where)


def section_passages(text: str) -> Iterator[QuotablePassage]:
    """Yield the paragraphs under each heading or tag; what stands before the first one is for models."""
    where = ""
    for block in re.split(r"\n\s*\n", text):
        kept: list[str] = []
        for line in block.splitlines():
            if found := section_title(line.strip()):
                yield from section_paragraphs(kept, where)
                kept, where = [], found
            elif located := LOCATION_PATTERN.fullmatch(line.strip()):
                yield from section_paragraphs(kept, where)
                kept, where = [located["rest"]], located["where"]
            elif line.strip() != QUOTATION_NOTICE and not CLOSING_TAG_PATTERN.fullmatch(line.strip()):
                kept.append(line)
        yield from section_paragraphs(kept, where)


def section_title(line: str) -> str:
    """Return the title that a heading or an opening tag gives to what follows; empty for other lines."""
    if heading := SECTION_HEADING_PATTERN.fullmatch(line):
        return heading["title"].strip("*_` ")
    if tag := OPENING_TAG_PATTERN.fullmatch(line):
        named = TAG_ATTRIBUTE_PATTERN.search(tag["attributes"])
        return named[1] if named else tag["name"].replace("_", " ").replace("-", " ").capitalize()
    return ""


def section_paragraphs(lines: list[str], title: str) -> Iterator[QuotablePassage]:
    """Yield lines as passages of a section, if it is one that people wrote."""
    if title and not INSTRUCTION_SECTION_PATTERN.search(title):
        for paragraph in paragraphs("\n".join(lines)):
            yield QuotablePassage(paragraph, title)


def paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs of a text, the long ones cut after a sentence."""
    for block in re.split(r"\n\s*\n", text):
        rest = block.strip("\n").rstrip()
        while len(rest) > QUOTABLE_PASSAGE_MAX_CHARS:
            end = cut_index(rest)
            yield rest[:end].rstrip()
            rest = rest[end:].lstrip()
        if rest.strip():
            yield rest


def cut_index(text: str) -> int:
    """Return where a long paragraph is best cut: after a sentence, else a line, else a word."""
    for mark in (". ", "\n", " "):
        place = text.rfind(mark, QUOTABLE_PASSAGE_MAX_CHARS // 2, QUOTABLE_PASSAGE_MAX_CHARS)
        if place > 0:
            return place + len(mark)
    return QUOTABLE_PASSAGE_MAX_CHARS
