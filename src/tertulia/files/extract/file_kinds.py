"""Tells what a file is from its first bytes and its name; what its sender claims does not count."""

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath

from tertulia.core.image_header import detect_image_mime
from tertulia.files.extract.encoding_detector import is_text
from tertulia.files.extract.file_extensions import KIND_BY_EXTENSION, KIND_BY_FILE_NAME


class Media(StrEnum):
    """How a file is read, shown and cut into passages."""

    TEXT = "text"
    MARKDOWN = "markdown"
    CODE = "code"
    TABLE = "table"
    HTML = "html"
    PDF = "pdf"
    DOCUMENT = "document"
    SLIDES = "slides"
    SHEET = "sheet"
    IMAGE = "image"
    BINARY = "binary"


@dataclass(frozen=True, slots=True)
class FileKind:
    """What a file is."""

    media: Media
    mime: str


FILE_HEAD_BYTES = 8192
TEXT_LIKE_MEDIA = frozenset({Media.TEXT, Media.MARKDOWN, Media.CODE, Media.TABLE, Media.HTML})
PLAIN_TEXT_KIND = FileKind(Media.TEXT, "text/plain")
UNKNOWN_KIND = FileKind(Media.BINARY, "application/octet-stream")
OPEN_XML_MIME = "application/vnd.openxmlformats-officedocument"
COMPOUND_FILE_SIGNATURE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
ZIP_SIGNATURES = (b"PK\x03\x04", b"PK\x05\x06")
OFFICE_KINDS = {
    b"word/": FileKind(Media.DOCUMENT, f"{OPEN_XML_MIME}.wordprocessingml.document"),
    b"ppt/": FileKind(Media.SLIDES, f"{OPEN_XML_MIME}.presentationml.presentation"),
    b"xl/": FileKind(Media.SHEET, f"{OPEN_XML_MIME}.spreadsheetml.sheet"),
}
OPENDOCUMENT_SHEET_HEAD = b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet"
XML_PROLOGUE_PATTERN = re.compile(rb"(\s|<\?xml[^>]*\?>|<!--.*?-->)*", re.DOTALL)
HTML_START_PATTERN = re.compile(rb"<!doctype\s+html|<(html|head|body)[\s>]", re.IGNORECASE)
MARKUP_START_PATTERN = re.compile(rb"<\?xml\s|<svg[\s>]|<!doctype\s", re.IGNORECASE)


def detect_kind(path: str, head: bytes) -> FileKind:
    """Tell what a file is from its first 8 KB, and from its name where they leave a choice."""
    head, named = head[:FILE_HEAD_BYTES], kind_by_name(path)
    if not head:
        return named or PLAIN_TEXT_KIND
    return kind_by_signature(head, named=named) or (
        kind_of_text(head, named=named) if is_text(head) else binary_kind(named)
    )


def kind_by_name(path: str) -> FileKind | None:
    """Return what the name promises, if we know it."""
    name = PurePosixPath(path.lower()).name
    found = KIND_BY_FILE_NAME.get(name) or KIND_BY_EXTENSION.get(
        name.rpartition(".")[2] if "." in name else ""
    )
    return FileKind(Media(found[0]), found[1]) if found else None


def kind_by_signature(head: bytes, *, named: FileKind | None) -> FileKind | None:
    """Return what the first bytes alone decide."""
    if re.match(rb"(\xef\xbb\xbf)?\s*%PDF-", head) or (
        is_one_of(named, Media.PDF) and b"%PDF-" in head[:1024]
    ):
        return FileKind(Media.PDF, "application/pdf")
    if head.startswith(ZIP_SIGNATURES):
        return kind_by_members(head, named=named)
    if head.startswith(COMPOUND_FILE_SIGNATURE):
        return kind_of_compound_file(head, named=named)
    mime = detect_image_mime(head)
    return FileKind(Media.IMAGE, mime) if mime else None


def kind_by_members(head: bytes, *, named: FileKind | None) -> FileKind:
    """Tell office files from other archives by the names inside."""
    if OPENDOCUMENT_SHEET_HEAD in head[:200]:
        return FileKind(Media.SHEET, "application/vnd.oasis.opendocument.spreadsheet")
    if b"[Content_Types].xml" in head or b"_rels/.rels" in head:
        inside = next((kind for folder, kind in OFFICE_KINDS.items() if has_folder(head, folder)), None)
        return inside or office_kind_by_name(named) or FileKind(Media.BINARY, "application/zip")
    return office_kind_by_name(named) or binary_kind(named, otherwise="application/zip")


def has_folder(head: bytes, folder: bytes) -> bool:
    """Tell whether an archive's first members include one in this folder."""
    return re.search(rb"PK\x03\x04.{26}" + re.escape(folder), head, re.DOTALL) is not None


def kind_of_compound_file(head: bytes, *, named: FileKind | None) -> FileKind:
    """Tell the office files of before 2007, and those under a password, by their name."""
    if "Workbook".encode("utf-16-le") in head:
        return FileKind(Media.SHEET, "application/vnd.ms-excel")
    return office_kind_by_name(named) or FileKind(Media.BINARY, "application/x-ole-storage")


def office_kind_by_name(named: FileKind | None) -> FileKind | None:
    """Return what the name promises when that is an office file."""
    return named if is_one_of(named, Media.DOCUMENT, Media.SLIDES, Media.SHEET) else None


def kind_of_text(head: bytes, *, named: FileKind | None) -> FileKind:
    """Tell texts apart: by name where it names a kind of text, else by how they begin."""
    if head.startswith(b"{\\rtf"):
        return FileKind(Media.BINARY, "application/rtf")
    if named and named.media in TEXT_LIKE_MEDIA and named != PLAIN_TEXT_KIND:
        return named
    return kind_by_beginning(head) or PLAIN_TEXT_KIND


def kind_by_beginning(head: bytes) -> FileKind | None:
    """Recognise web pages, other markup and scripts by their first characters."""
    # UTF-16 is the same characters with NULs between them, and marks before.
    plain = head.replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe")
    start = XML_PROLOGUE_PATTERN.match(plain)
    rest = plain[start.end() :] if start else plain
    if HTML_START_PATTERN.match(rest):
        return FileKind(Media.HTML, "text/html")
    if MARKUP_START_PATTERN.match(plain.lstrip()) or MARKUP_START_PATTERN.match(rest):
        return FileKind(Media.CODE, "text/xml")
    return FileKind(Media.CODE, "text/x-script") if plain.startswith(b"#!/") else None


def binary_kind(named: FileKind | None, *, otherwise: str = UNKNOWN_KIND.mime) -> FileKind:
    """Return a binary of which only the name says more."""
    return named if named and named.media is Media.BINARY else FileKind(Media.BINARY, otherwise)


def is_one_of(kind: FileKind | None, *media: Media) -> bool:
    """Tell whether the kind is known and one of these."""
    return kind is not None and kind.media in media
