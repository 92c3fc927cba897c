"""A person's own sentences in a message: without quotations, pasted text, code and what is only played."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tertulia.conversations.sentences import (
    LIST_ITEM_MARK_PATTERN,
    QUOTE_MARK_PATTERN,
    SENTENCE_FENCE_PATTERN,
    SentenceKind,
    continues_sentence,
    find_sentence_ends,
)
from tertulia.memories import pasted_cues as cues
from tertulia.memory.cues import STRAIGHT_QUOTES_TABLE, is_question
from tertulia.memory.worth_cues import is_request

#: Of a longer message no more is read.
MESSAGE_READ_MAX_CHARS = 12_000
#: A longer row is pasted.
OWN_ROW_MAX_CHARS = 1_500
BLANK_ROWS_PATTERN = re.compile(r"\n{3,}")


@dataclass(frozen=True, slots=True)
class OwnSentence:
    """A sentence of a message, word for word, and where it stands."""

    text: str
    start_char: int
    end_char: int


def find_own_sentences(message: str) -> list[OwnSentence]:
    """Return the sentences that a person says for themselves, in order."""
    text = message[:MESSAGE_READ_MAX_CHARS]
    if is_disowned(text):
        return []
    quoted = find_long_quotations(text)
    own = (said for said in _split_rows(text) if not _is_part_of(said, quoted))
    return list(_take_until_pasted(text, own))


def find_long_quotations(text: str) -> list[tuple[int, int]]:
    """Return where a text quotes more than a few words."""
    found = cues.QUOTATION_PATTERN.finditer(text)
    return [one.span() for one in found if len(one[0].split()) > cues.QUOTATION_MAX_WORDS]


def _is_part_of(said: OwnSentence, quoted: list[tuple[int, int]]) -> bool:
    """Tell whether a sentence is a part of what is quoted: one that has all of a quotation is not."""
    return any(
        start < said.end_char
        and said.start_char < end
        and not (said.start_char <= start and end <= said.end_char)
        for start, end in quoted
    )


def is_disowned(text: str) -> bool:
    """Tell whether a message says of itself that it is not to be remembered, or is not the person's own."""
    plain = BLANK_ROWS_PATTERN.sub("\n\n", text.translate(STRAIGHT_QUOTES_TABLE))
    return any(pattern.search(plain) for pattern in cues.DISOWNING_CUES)


def _split_rows(text: str) -> Iterator[OwnSentence]:
    """Yield the sentences of the rows that are prose, up to where something is pasted."""
    for start, end in _join_wrapped(text, _read_prose_rows(text)):
        plain = text[start:end].replace("\n", " ")
        begin = 0
        for place in find_sentence_ends(plain):
            said = plain[begin:place]
            shown = start + begin + len(said) - len(said.lstrip())
            if said.strip():
                yield OwnSentence(text[shown : shown + len(said.strip())], shown, shown + len(said.strip()))
            begin = place


def _read_prose_rows(text: str) -> Iterator[tuple[int, int]]:
    """Yield where rows of prose begin and end, without the marks of list items."""
    fence, place = "", 0
    for row in text.splitlines(keepends=True):
        start, place = place, place + len(row)
        mark = SENTENCE_FENCE_PATTERN.match(row)
        if mark or fence:
            closes = bool(fence and mark and mark[1].startswith(fence))
            fence = "" if closes else fence or (mark[1] if mark else "")
        elif len(row) > OWN_ROW_MAX_CHARS:
            continue
        elif _begins_pasted(row, is_last=place >= len(text)):
            return
        elif row.strip() and not _is_other_row(row):
            item = LIST_ITEM_MARK_PATTERN.match(row)
            yield start + (item.end() if item else len(row) - len(row.lstrip())), start + len(row.rstrip())


def _begins_pasted(row: str, *, is_last: bool) -> bool:
    """Tell whether a row begins what is not the person's own: a mark of it, a title, or a lead."""
    if cues.PASTE_START_PATTERN.match(row) or (not is_last and cues.TITLE_ROW_PATTERN.match(row)):
        return True
    return _is_other_row(row) and row.rstrip().endswith(":")


def _is_other_row(row: str) -> bool:
    is_quoted = QUOTE_MARK_PATTERN.match(row) and row.lstrip().startswith(">")
    return bool(is_quoted or cues.CODE_ROW_PATTERN.match(row))


def _join_wrapped(text: str, rows: Iterator[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield rows, those joined that go on with the sentence of the one before."""
    begin, end = 0, 0
    for start, stop in rows:
        is_next = text[end:start].strip(" ") == "\n" and stop - begin <= OWN_ROW_MAX_CHARS
        if is_next and continues_sentence(text[begin:end], text[start:stop], SentenceKind.PROSE):
            end = stop
            continue
        if end:
            yield begin, end
        begin, end = start, stop
    if end:
        yield begin, end


def _take_until_pasted(text: str, sentences: Iterator[OwnSentence]) -> Iterator[OwnSentence]:
    """Yield sentences up to one that is followed by a text to be worked on, or by somebody else's words.

    People say what a question is about before it: a paragraph after one that ends by asking is pasted.
    """
    for sentence in sentences:
        if introduces_text(sentence.text):
            return
        yield sentence
        asks = is_question(sentence.text) or is_request(sentence.text)
        ends_paragraph = cues.BLANK_ROW_PATTERN.match(text, sentence.end_char) is not None
        if cues.TEXT_REQUEST_PATTERN.search(sentence.text) or (asks and ends_paragraph):
            return


def introduces_text(sentence: str) -> bool:
    """Tell whether a sentence goes on with words that are not the person's own: after a colon."""
    before, colon, after = (f"{sentence} ").partition(": ")
    asks_itself = bool(after) and is_question(sentence) and not cues.TEXT_REQUEST_PATTERN.search(before)
    return bool(colon) and not asks_itself and not cues.OWN_COLON_PATTERN.match(before)


def has_long_quotation(sentence: str) -> bool:
    """Tell whether a sentence quotes more than a few words."""
    quotations = cues.QUOTATION_PATTERN.findall(sentence)
    return any(len(quotation.split()) > cues.QUOTATION_MAX_WORDS for quotation in quotations)
