"""The things that a prompt is made of, each as one item with a name that stays the same."""

from dataclasses import replace

from tertulia.context.domain import AbsentFile, PastReply, PastRound, PinnedMessage, RecalledPassage
from tertulia.context.prompt_plan import Item, Pointer, WhyNot
from tertulia.conversations.domain import USER_SPEAKER, Passage, ReplyKind
from tertulia.core.plurals import count_noun
from tertulia.core.truncation import truncate

SUMMARY_ID = "summary"
#: What stands in a receipt for a title that was left out: never the title itself.
TITLE_ITEM = Item(id="conversation:title", title="The conversation's title", tokens=0)
ITEM_TITLE_MAX_CHARS = 80
UNSEARCHED_PARTS = {
    WhyNot.NO_MEANING: ", by meaning",
    WhyNot.NO_WORDS: ", by words",
    WhyNot.NO_EXPANSION: ", in other words",
}


def of_text(name: str, title: str, text: str) -> Item:
    """Return a part of the system prompt."""
    return Item(id=f"system:{name}", title=title, tokens=0, text=text)


def of_round(past: PastRound) -> Item:
    """Return an earlier round."""
    ids = [past.question_id, *(reply.id for reply in past.replies)]
    return Item(
        id=f"round:{past.id}",
        title=f"Round {past.number}: {shorten_title(past.question)}",
        tokens=0,
        pointer=Pointer(message_ids=ids, round_id=past.id, round_number=past.number),
        local_only=past.local_only or any(reply.local_only for reply in past.replies),
    )


def of_reply(past: PastRound, reply: PastReply) -> Item:
    """Return one reply of an earlier round."""
    return Item(
        id=f"message:{reply.id}",
        title=f"Round {past.number}, {speaker_label(reply)}",
        tokens=0,
        pointer=Pointer(message_ids=[reply.id], round_id=past.id, round_number=past.number),
        local_only=reply.local_only,
    )


def of_pinned(pinned: PinnedMessage) -> Item:
    """Return a pinned message."""
    speaker = "You" if pinned.speaker == USER_SPEAKER else pinned.speaker
    return Item(
        id=f"message:{pinned.id}",
        title=f"{speaker}, round {pinned.round_number}: {shorten_title(pinned.text)}",
        tokens=0,
        pointer=Pointer(message_ids=[pinned.id], round_id=pinned.round_id, round_number=pinned.round_number),
        local_only=pinned.local_only,
    )


def of_recalled(one: RecalledPassage) -> Item:
    """Return a passage of a file, or of earlier talk."""
    passage = one.passage
    is_file = passage.kind == "file"
    place = passage_title(passage.path, passage.start_line, passage.end_line)
    return Item(
        id=f"file:{passage.source_id}" if one.is_included_file else passage_id(passage),
        title=place if is_file else past_round_title(passage.title, passage.round_number),
        tokens=0,
        pointer=Pointer(
            message_ids=[] if is_file else [passage.source_id],
            file_id=passage.source_id if is_file else "",
            project_id=passage.project_id or "",
            conversation_id=passage.conversation_id or "",
            round_id=passage.round_id or "",
            round_number=passage.round_number,
            path=passage.path,
            start_line=passage.start_line,
            end_line=passage.end_line,
            start_char=passage.start_char,
            end_char=passage.end_char,
            number=passage.number,
        ),
        local_only=one.local_only,
        text=one.text,
    )


def passage_title(path: str, start_line: int, end_line: int) -> str:
    """Return the name of some lines of a file."""
    return f"{path}, lines {start_line}-{end_line}"


def past_round_title(title: str, number: int) -> str:
    """Return the name of a round in another conversation, whose title may not be known."""
    return f"{title or 'An earlier conversation'}, round {number}"


def hidden(item: Item, number: int) -> Item:
    """Return an item without all that names what it comes from, under a number among such items."""
    kind = "file" if item.pointer.file_id else "conversation"
    return replace(
        item,
        id=f"hidden:{number}",
        title=f"A private or deleted {kind}",
        pointer=Pointer(number=item.pointer.number),
        is_hidden=True,
    )


def passage_id(passage: Passage) -> str:
    """Return the name of a passage: the same as long as its file or message is."""
    return f"passage:{passage.source_id}:{passage.start_char}-{passage.end_char}"


def is_found(item: Item) -> bool:
    """Tell whether an item is a passage that search found, and no file that comes with the question."""
    return item.id.startswith("passage:")


def of_rest(one: RecalledPassage) -> Item:
    """Return what is not shown of a file that comes with the question."""
    item = of_recalled(one)
    return replace(item, id=f"{item.id}:rest", title=f"The rest of {one.passage.path}", text="")


def of_absent(one: AbsentFile) -> Item:
    """Return a file of which nothing can be shown."""
    pointer = Pointer(file_id=one.file_id, project_id=one.project_id, path=one.path)
    return Item(
        id=f"file:{one.file_id or one.path}",
        title=one.path,
        tokens=0,
        pointer=pointer,
        local_only=one.local_only,
    )


def of_search(reason: WhyNot) -> Item:
    """Return a search, or the part of one, that did not work."""
    part = UNSEARCHED_PARTS.get(reason, "")
    return Item(id=f"search:{reason}", title=f"Search in files and earlier talk{part}", tokens=0)


def of_points(count: int, reason: WhyNot) -> Item:
    """Return points of a summary that are left out for one reason, as one item."""
    title = f"{count_noun(count, 'point')} of the summary"
    return Item(id=f"{SUMMARY_ID}:{reason}", title=title, tokens=0)


def speaker_label(reply: PastReply) -> str:
    """Return who speaks in a reply, and what for if not to answer."""
    return (
        reply.lane
        if reply.kind is ReplyKind.ANSWER
        else f"{reply.kind} by {reply.lane.removeprefix(f'{reply.kind}:')}"
    )


def shorten_title(text: str) -> str:
    """Return the beginning of a text as a title."""
    return truncate(" ".join(text.split()), ITEM_TITLE_MAX_CHARS)
