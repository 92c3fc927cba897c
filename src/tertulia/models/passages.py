"""The passages of a prompt that can be quoted, each with where it came from."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tertulia.models.calls import Call, Said
from tertulia.models.quoting import NOT_ORDERS

LONGEST_PASSAGE = 700
#: Our own earlier replies were only quotes.
OURSELVES = "librarian"
#: Sections that speak to a model rather than to people.
NOT_QUOTED = re.compile(
    r"instruction|guideline|rules|\btools?\b|your (role|task)|how to|format", re.IGNORECASE
)
HEADING = re.compile(r"#{1,6}\s+(?P<title>\S.*?)\s*#*")
TAG = re.compile(r"<(?P<name>[a-zA-Z][\w-]*)(?P<attributes>(?:\s+[\w-]+=\"[^\"]*\")*)\s*>")
CLOSING_TAG = re.compile(r"</[a-zA-Z][\w-]*\s*>")
ATTRIBUTE = re.compile(r"\b(?:path|title|name|source)=\"([^\"]+)\"")
LOCATION = re.compile(r"(?:\d+\.\s*)?\[(?P<where>[^\]\n]{2,120})\]:?\s*(?P<rest>.*)")
#: What is quoted to a model stands before what was said, in frames of its own.
FRAMES = re.compile(
    r'(?:<(passages|files|pinned|summary|reply)(?: speaker="[^"]*")?>\n.*?\n</\1>\s*)+', re.DOTALL
)
REPLY = re.compile(r'<reply speaker="([^"]*)">\n(.*?)\n</reply>', re.DOTALL)
PINNED = re.compile(r'<message speaker="([^"]*)" round="\d+">\n(.*?)\n</message>', re.DOTALL)
POINT = re.compile(r"^- (.+?) \(round ([\d, ]+)\)$", re.MULTILINE)
NUMBERED = re.compile(r'<passage number="(\d+)" source="([^"]*)">\n(.*?)\n</passage>', re.DOTALL)
NAME = r"(?:agent:)?[\w./:@-]{2,80}?"
#: How a prompt tells who speaks: `[name]:`, `**name**:` or `name said:`.
SPEAKER = re.compile(rf"(?:\[({NAME})\]:?|\*\*({NAME})\*\*:|({NAME}) said:)\s+")


@dataclass(frozen=True, slots=True)
class Passage:
    """Some sentences and where they stand."""

    text: str
    where: str
    #: The number under which a passage that was looked up is cited; 0 for all others.
    number: int = 0


def passages_of(call: Call) -> list[Passage]:
    """Return all that may be quoted: what was looked up, the system text, and what was said before."""
    earlier = call.messages[: last_question(call.messages)]
    said = [passage for message in earlier for passage in message_passages(message)]
    framed = [passage for frame in map(frames_of, call.messages) for passage in framed_passages(frame)]
    return [*framed, *section_passages(call.system), *said]


def framed_passages(frame: str) -> Iterator[Passage]:
    """Yield what is quoted in frames: numbered passages, pinned messages, points of a summary, replies."""
    for number, where, text in NUMBERED.findall(frame):
        yield Passage(text, where, int(number))
    for speaker, text in PINNED.findall(frame):
        yield Passage(text, f"{speaker}, pinned")
    for speaker, text in REPLY.findall(frame):
        if speaker.lower() != OURSELVES:
            yield from (Passage(paragraph, f"{speaker}, earlier") for paragraph in paragraphs(text))
    for text, rounds in POINT.findall(NUMBERED.sub("", PINNED.sub("", REPLY.sub("", frame)))):
        yield Passage(text, f"Round {rounds}, in short")


def question_of(call: Call) -> str:
    """Return what the person asks, without what was put before it."""
    place = last_question(call.messages)
    return without_frames(call.messages[place]) if place < len(call.messages) else ""


def last_question(messages: tuple[Said, ...]) -> int:
    """Return the place of the last thing the person said."""
    asked = (said.role == "user" and without_frames(said).strip() for said in messages)
    places = [place for place, words in enumerate(asked) if words]
    return places[-1] if places else len(messages)


def frames_of(said: Said) -> str:
    """Return the frames that a message of ours begins with."""
    found = FRAMES.match(said.text) if said.role == "user" else None
    return found[0] if found else ""


def without_frames(said: Said) -> str:
    """Return what was really said."""
    return said.text[len(frames_of(said)) :]


def message_passages(said: Said) -> Iterator[Passage]:
    """Yield the paragraphs of a message; our own earlier replies were only quotes."""
    words = without_frames(said)
    labelled = SPEAKER.match(words)
    speaker = labelled[labelled.lastindex or 0].removeprefix("agent:") if labelled else ""
    if said.role == "user" and speaker.lower() in ("", "user", "you"):
        where = "You, earlier"
    elif labelled and speaker.lower() != OURSELVES:
        where = f"{speaker}, earlier"
    else:
        return
    for paragraph in paragraphs(words[labelled.end() :] if labelled else words):
        yield Passage(paragraph, where)


def section_passages(text: str) -> Iterator[Passage]:
    """Yield the paragraphs under each heading or tag; what stands before the first one is for models."""
    where = ""
    for block in re.split(r"\n\s*\n", text):
        kept: list[str] = []
        for line in block.splitlines():
            if found := section_title(line.strip()):
                yield from as_passages(kept, where)
                kept, where = [], found
            elif located := LOCATION.fullmatch(line.strip()):
                yield from as_passages(kept, where)
                kept, where = [located["rest"]], located["where"]
            elif line.strip() != NOT_ORDERS and not CLOSING_TAG.fullmatch(line.strip()):
                kept.append(line)
        yield from as_passages(kept, where)


def section_title(line: str) -> str:
    """Return the title that a heading or an opening tag gives to what follows; empty for other lines."""
    if heading := HEADING.fullmatch(line):
        return heading["title"].strip("*_` ")
    if tag := TAG.fullmatch(line):
        named = ATTRIBUTE.search(tag["attributes"])
        return named[1] if named else tag["name"].replace("_", " ").replace("-", " ").capitalize()
    return ""


def as_passages(lines: list[str], where: str) -> Iterator[Passage]:
    """Yield lines as passages of a section, if it is one that people wrote."""
    if where and not NOT_QUOTED.search(where):
        for paragraph in paragraphs("\n".join(lines)):
            yield Passage(paragraph, where)


def paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs of a text, the long ones cut after a sentence."""
    for block in re.split(r"\n\s*\n", text):
        rest = block.strip("\n").rstrip()
        while len(rest) > LONGEST_PASSAGE:
            end = cut_place(rest)
            yield rest[:end].rstrip()
            rest = rest[end:].lstrip()
        if rest.strip():
            yield rest


def cut_place(text: str) -> int:
    """Return where a long paragraph is best cut: after a sentence, else a line, else a word."""
    for mark in (". ", "\n", " "):
        place = text.rfind(mark, LONGEST_PASSAGE // 2, LONGEST_PASSAGE)
        if place > 0:
            return place + len(mark)
    return LONGEST_PASSAGE
