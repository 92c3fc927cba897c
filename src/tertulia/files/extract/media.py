"""Tells what a file is from its first bytes and its name; what its sender claims does not count."""

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath

from tertulia.files.extract.encoding import is_text
from tertulia.files.extract.names import BY_EXTENSION, BY_NAME


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
class Kind:
    """What a file is."""

    media: Media
    mime: str


HEAD = 8192
TEXT_LIKE = frozenset({Media.TEXT, Media.MARKDOWN, Media.CODE, Media.TABLE, Media.HTML})
PLAIN = Kind(Media.TEXT, "text/plain")
UNKNOWN = Kind(Media.BINARY, "application/octet-stream")
OPEN_XML = "application/vnd.openxmlformats-officedocument"
COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
ZIP = (b"PK\x03\x04", b"PK\x05\x06")
OFFICE = {
    b"word/": Kind(Media.DOCUMENT, f"{OPEN_XML}.wordprocessingml.document"),
    b"ppt/": Kind(Media.SLIDES, f"{OPEN_XML}.presentationml.presentation"),
    b"xl/": Kind(Media.SHEET, f"{OPEN_XML}.spreadsheetml.sheet"),
}
SPREADSHEET = b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet"
PICTURES = (
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "image/png"),
    (re.compile(rb"\xff\xd8\xff"), "image/jpeg"),
    (re.compile(rb"GIF8[79]a"), "image/gif"),
    (re.compile(rb"RIFF.{4}WEBP", re.DOTALL), "image/webp"),
    (re.compile(rb"BM.{4}\0\0\0\0.{3}\0[\x0c-\x7c]\0\0\0", re.DOTALL), "image/bmp"),
    (re.compile(rb"II\*\0|MM\0\*"), "image/tiff"),
    (re.compile(rb"\0\0\x01\0[^\0]\0"), "image/x-icon"),
    (re.compile(rb".{4}ftypavi[fs]", re.DOTALL), "image/avif"),
    (re.compile(rb".{4}ftyp(hei[cx]|hev[cx]|mif1|msf1)", re.DOTALL), "image/heic"),
)
PROLOGUE = re.compile(rb"(\s|<\?xml[^>]*\?>|<!--.*?-->)*", re.DOTALL)
PAGE = re.compile(rb"<!doctype\s+html|<(html|head|body)[\s>]", re.IGNORECASE)
MARKUP = re.compile(rb"<\?xml\s|<svg[\s>]|<!doctype\s", re.IGNORECASE)


def kind_of(path: str, head: bytes) -> Kind:
    """Tell what a file is from its first 8 KB, and from its name where they leave a choice."""
    head, named = head[:HEAD], kind_by_name(path)
    if not head:
        return named or PLAIN
    return by_signature(head, named=named) or (
        by_text(head, named=named) if is_text(head) else other_binary(named)
    )


def kind_by_name(path: str) -> Kind | None:
    """Return what the name promises, if we know it."""
    name = PurePosixPath(path.lower()).name
    found = BY_NAME.get(name) or BY_EXTENSION.get(name.rpartition(".")[2] if "." in name else "")
    return Kind(Media(found[0]), found[1]) if found else None


def by_signature(head: bytes, *, named: Kind | None) -> Kind | None:
    """Return what the first bytes alone decide."""
    if re.match(rb"(\xef\xbb\xbf)?\s*%PDF-", head) or (is_a(named, Media.PDF) and b"%PDF-" in head[:1024]):
        return Kind(Media.PDF, "application/pdf")
    if head.startswith(ZIP):
        return by_members(head, named=named)
    if head.startswith(COMPOUND):
        return by_compound(head, named=named)
    return next((Kind(Media.IMAGE, mime) for mark, mime in PICTURES if mark.match(head)), None)


def by_members(head: bytes, *, named: Kind | None) -> Kind:
    """Tell office files from other archives by the names inside."""
    if SPREADSHEET in head[:200]:
        return Kind(Media.SHEET, "application/vnd.oasis.opendocument.spreadsheet")
    if b"[Content_Types].xml" in head or b"_rels/.rels" in head:
        inside = next((kind for folder, kind in OFFICE.items() if holds(head, folder)), None)
        return inside or office_name(named) or Kind(Media.BINARY, "application/zip")
    return office_name(named) or other_binary(named, otherwise="application/zip")


def holds(head: bytes, folder: bytes) -> bool:
    """Tell whether an archive's first members include one in this folder."""
    return re.search(rb"PK\x03\x04.{26}" + re.escape(folder), head, re.DOTALL) is not None


def by_compound(head: bytes, *, named: Kind | None) -> Kind:
    """Tell the office files of before 2007, and those under a password, by their name."""
    if "Workbook".encode("utf-16-le") in head:
        return Kind(Media.SHEET, "application/vnd.ms-excel")
    return office_name(named) or Kind(Media.BINARY, "application/x-ole-storage")


def office_name(named: Kind | None) -> Kind | None:
    """Return what the name promises when that is an office file."""
    return named if is_a(named, Media.DOCUMENT, Media.SLIDES, Media.SHEET) else None


def by_text(head: bytes, *, named: Kind | None) -> Kind:
    """Tell texts apart: by name where it names a kind of text, else by how they begin."""
    if head.startswith(b"{\\rtf"):
        return Kind(Media.BINARY, "application/rtf")
    if named and named.media in TEXT_LIKE and named != PLAIN:
        return named
    return by_beginning(head) or PLAIN


def by_beginning(head: bytes) -> Kind | None:
    """Recognise web pages, other markup and scripts by their first characters."""
    # UTF-16 is the same characters with NULs between them, and marks before.
    plain = head.replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe")
    start = PROLOGUE.match(plain)
    rest = plain[start.end() :] if start else plain
    if PAGE.match(rest):
        return Kind(Media.HTML, "text/html")
    if MARKUP.match(plain.lstrip()) or MARKUP.match(rest):
        return Kind(Media.CODE, "text/xml")
    return Kind(Media.CODE, "text/x-script") if plain.startswith(b"#!/") else None


def other_binary(named: Kind | None, *, otherwise: str = UNKNOWN.mime) -> Kind:
    """Return a binary of which only the name says more."""
    return named if named and named.media is Media.BINARY else Kind(Media.BINARY, otherwise)


def is_a(kind: Kind | None, *media: Media) -> bool:
    """Tell whether the kind is known and one of these."""
    return kind is not None and kind.media in media
