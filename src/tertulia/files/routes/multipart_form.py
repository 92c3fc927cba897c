"""A form with files, read as it arrives: nothing of it is held but the part that is being read."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

from fastapi import Request
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from tertulia.files.errors import UploadInvalid

FORM_HEADER_MAX_BYTES = 16_384
#: How browsers write in a file's name what would end it; a per cent sign itself they leave as it is.
FILE_NAME_ESCAPES = {"%22": '"', "%0D": "\r", "%0A": "\n"}


@dataclass(frozen=True, slots=True)
class PartBegan:
    """A part begins; those without a file name are fields."""

    name: str
    filename: str | None


@dataclass(frozen=True, slots=True)
class PartData:
    """More of the part."""

    block: bytes


@dataclass(frozen=True, slots=True)
class PartEnded:
    """The part is whole."""


FormEvent = PartBegan | PartData | PartEnded


class PartCollector:
    """Collects what the parser finds in a block."""

    def __init__(self) -> None:
        self.events: list[FormEvent] = []
        self.complete = False
        self._name = b""
        self._value = b""
        self._disposition = b""

    def on_part_begin(self) -> None:
        """Expect a new part's headers."""
        self._disposition = b""

    def on_header_field(self, data: bytes, start: int, end: int) -> None:
        """Take more of a header's name."""
        self._name = check_header_length(self._name + data[start:end])

    def on_header_value(self, data: bytes, start: int, end: int) -> None:
        """Take more of a header's value."""
        self._value = check_header_length(self._value + data[start:end])

    def on_header_end(self) -> None:
        """Keep the one header that we need."""
        if self._name.lower() == b"content-disposition":
            self._disposition = self._value
        self._name = self._value = b""

    def on_headers_finished(self) -> None:
        """Tell that a part begins."""
        _, options = parse_options_header(self._disposition)
        if b"name" not in options:
            raise UploadInvalid("Every part of the form must have a name.")
        filename = options.get(b"filename")
        named = None if filename is None else unescape_name(decode_name(filename))
        self.events.append(PartBegan(unescape_name(decode_name(options[b"name"])), named))

    def on_part_data(self, data: bytes, start: int, end: int) -> None:
        """Tell that there is more of the part."""
        self.events.append(PartData(data[start:end]))

    def on_part_end(self) -> None:
        """Tell that the part is whole."""
        self.events.append(PartEnded())

    def on_end(self) -> None:
        """Note that the form is whole."""
        self.complete = True


async def read_form(request: Request) -> AsyncIterator[FormEvent]:
    """Yield the parts of a form as they arrive; raise `UploadInvalid` where it makes no sense."""
    _, options = parse_options_header(request.headers.get("content-type", ""))
    if not options.get(b"boundary"):
        raise UploadInvalid("The form says not where its parts begin: send it with a boundary.")
    parts = PartCollector()
    callbacks = {name: getattr(parts, name) for name in dir(parts) if name.startswith("on_")}
    try:
        parser = MultipartParser(options[b"boundary"], callbacks)  # pyright: ignore[reportArgumentType] - built by name
        async for block in request.stream():
            parser.write(block)
            for event in parts.events:
                yield event
            parts.events.clear()
    except FormParserError as error:
        raise UploadInvalid("The form cannot be read: its parts are not where they should be.") from error
    if not parts.complete:
        raise UploadInvalid("The form broke off before its end: send it again.")


def decode_name(name: bytes) -> str:
    """Return a name as text, whatever it was written in."""
    try:
        return name.decode()
    except UnicodeDecodeError:
        return name.decode("latin-1")


def unescape_name(name: str) -> str:
    """Return a name without the escapes that browsers write in a form."""
    for escape, meant in FILE_NAME_ESCAPES.items():
        name = name.replace(escape, meant)
    return name


def check_header_length(header: bytes) -> bytes:
    """Return a header unless it is too long to be one."""
    if len(header) > FORM_HEADER_MAX_BYTES:
        raise UploadInvalid("A part of the form has a header that is too long.")
    return header
