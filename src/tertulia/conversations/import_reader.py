"""Reading an exported conversation piece by piece: never more of it is built at once than one round."""

import json
import re
from collections.abc import Iterator
from typing import NoReturn

import msgspec
from pydantic import ValidationError

from tertulia.conversations.errors import ImportUnreadable
from tertulia.conversations.export_documents import (
    CONVERSATION_FORMAT,
    EXPORT_ROUNDS_MAX,
    EXPORT_VERSION,
    ConversationDocument,
    RoundDocument,
)
from tertulia.conversations.import_check import ImportCheck, message_refs, unreadable_at
from tertulia.infra.http.validation_messages import describe_problem

JSON_DECODER = json.JSONDecoder()
JSON_WHITESPACE = re.compile(r"[ \t\n\r]*")


class RoundOutline(msgspec.Struct, frozen=True):
    """The names in a round: its own, that of the message it follows, and those of its messages."""

    ref: str
    parent: str | None
    messages: list[str]


def outline_round(round_: RoundDocument) -> RoundOutline:
    """Return the names in a round."""
    return RoundOutline(round_.ref, round_.parent, message_refs(round_))


class ImportReader:
    """Yields the rounds of a file one by one, each checked; then `document` is what is around them."""

    def __init__(self, body: bytes | bytearray) -> None:
        try:
            self._text = body.decode()
        except UnicodeDecodeError as error:
            raise unreadable_at("the file", "it is not UTF-8") from error
        self._position = 0
        self._check = ImportCheck()
        #: The members around the rounds, as they are written.
        self._members: dict[str, str] = {}
        self.document: ConversationDocument | None = None

    def rounds(self) -> Iterator[tuple[str, RoundDocument]]:
        """Yield each round as it is written and as it is meant; raise at the first thing that is wrong."""
        self._expect("{")
        while not self._take("}"):
            if self._members:
                self._expect(",")
            name = str(json.loads(self._value()))
            self._expect(":")
            if name in self._members:
                raise unreadable_at(name, "it is given twice")
            if name == "rounds":
                self._members[name] = "[]"
                yield from self._rounds()
            else:
                self._members[name] = self._value()
                check_format(name, self._members[name])
        self._skip()
        if self._position < len(self._text):
            self._fail()
        self.document = self._finish()

    def _rounds(self) -> Iterator[tuple[str, RoundDocument]]:
        for number, written in enumerate(self._elements()):
            if number >= EXPORT_ROUNDS_MAX:
                raise unreadable_at("rounds", f"there may be at most {EXPORT_ROUNDS_MAX:,}")
            round_ = read_round(written, number)
            self._check.add(round_)
            yield written, round_

    def _elements(self) -> Iterator[str]:
        self._expect("[")
        if self._take("]"):
            return
        yield self._value()
        while not self._take("]"):
            self._expect(",")
            yield self._value()

    def _finish(self) -> ConversationDocument:
        members = ", ".join(f"{json.dumps(name)}: {value}" for name, value in self._members.items())
        try:
            document = ConversationDocument.model_validate_json(f"{{{members}}}", strict=True)
        except ValidationError as error:
            raise to_unreadable(error) from error
        self._check.finish(document)
        return document

    def _value(self) -> str:
        """Pass over one value, and return it as it is written."""
        self._skip()
        start = self._position
        try:
            _, self._position = JSON_DECODER.raw_decode(self._text, start)
        except (ValueError, RecursionError):
            self._fail()
        return self._text[start : self._position]

    def _skip(self) -> None:
        found = JSON_WHITESPACE.match(self._text, self._position)
        self._position = found.end() if found else self._position

    def _take(self, mark: str) -> bool:
        self._skip()
        taken = self._text.startswith(mark, self._position)
        self._position += taken
        return taken

    def _expect(self, mark: str) -> None:
        if not self._take(mark):
            self._fail()

    def _fail(self) -> NoReturn:
        raise unreadable_at("the file", f"it is not a JSON object, see character {self._position:,}")


def check_format(name: str, json_text: str) -> None:
    """Raise as soon as a file says that it is something else than what can be read here."""
    if name == "format" and json_text != json.dumps(CONVERSATION_FORMAT):
        raise ImportUnreadable("This is not a conversation exported from Tertulia: see its `format`.")
    if name == "version" and json_text != json.dumps(EXPORT_VERSION):
        raise ImportUnreadable(
            f"Only version {EXPORT_VERSION} of the export can be read here. Update the server."
        )


def read_round(json_text: str, number: int = 0) -> RoundDocument:
    """Return a round that is written as JSON."""
    try:
        return RoundDocument.model_validate_json(json_text, strict=True)
    except ValidationError as error:
        raise to_unreadable(error, f"rounds.{number}") from error


def to_unreadable(error: ValidationError, inside: str = "") -> ImportUnreadable:
    """Say what is wrong with a file, and where."""
    first = error.errors(include_url=False, include_input=False)[0]
    parts = [inside] if inside else []
    where = ".".join([*parts, *map(str, first["loc"])])
    return unreadable_at(where or "the file", describe_problem(first))


def read_document(body: bytes | bytearray) -> ConversationDocument:
    """Return the whole conversation that a small file holds, or raise `ImportUnreadable`."""
    reader = ImportReader(body)
    rounds = [round_ for _, round_ in reader.rounds()]
    if reader.document is None:
        raise unreadable_at("the file", "it ends before all of it was said")
    return reader.document.model_copy(update={"rounds": rounds})
