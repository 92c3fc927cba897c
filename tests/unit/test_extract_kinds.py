"""What a file is: its bytes decide, its name only where they leave a choice."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests import documents

from tertulia.files.extract.file_kinds import FileKind, Media, detect_kind

WORD = documents.word(lambda document: None)
SLIDES = documents.slides(lambda presentation: None)
SHEET = documents.workbook({"One": [["a"]]})
ODS = documents.open_document_sheet("One", [["a"]])
COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)


@pytest.mark.parametrize(
    ("name", "head", "media", "mime"),
    [
        ("notes.txt", b"plain words", Media.TEXT, "text/plain"),
        ("README.md", b"# Title", Media.MARKDOWN, "text/markdown"),
        ("main.py", b"import os", Media.CODE, "text/x-python"),
        ("Dockerfile", b"FROM scratch", Media.CODE, "text/x-dockerfile"),
        ("run", b"#!/bin/sh\necho", Media.CODE, "text/x-script"),
        ("a.csv", b"a,b\n1,2", Media.TABLE, "text/csv"),
        ("page.html", b"<p>hello", Media.HTML, "text/html"),
        ("page", b"\n<!-- x -->\n<!DOCTYPE html>", Media.HTML, "text/html"),
        ("page.txt", "\ufeff<html>".encode("utf-16"), Media.HTML, "text/html"),
        ("drawing.svg", b"<svg xmlns='x'>", Media.CODE, "text/xml"),
        ("drawing.png", b"<?xml version='1.0'?><svg>", Media.CODE, "text/xml"),
        ("a.pdf", b"%PDF-1.7", Media.PDF, "application/pdf"),
        ("a.pdf", b"junk before\n%PDF-1.7", Media.PDF, "application/pdf"),
        ("about_pdf.py", b"MARK = b'%PDF-'", Media.CODE, "text/x-python"),
        ("x.gif", b"GIF89a\x01\0\x01\0", Media.IMAGE, "image/gif"),
        ("x.jpg", b"\xff\xd8\xff\xe0", Media.IMAGE, "image/jpeg"),
        ("x.webp", b"RIFF\0\0\0\0WEBPVP8 ", Media.IMAGE, "image/webp"),
        ("x.avif", b"\0\0\0\x20ftypavif", Media.IMAGE, "image/avif"),
        ("old.xls", COMPOUND, Media.SHEET, "application/vnd.ms-excel"),
        ("old.doc", COMPOUND, Media.DOCUMENT, "application/msword"),
        ("thing", COMPOUND, Media.BINARY, "application/x-ole-storage"),
        ("x.rtf", b"{\\rtf1 words}", Media.BINARY, "application/rtf"),
        ("x.zip", documents.archive({"a.txt": "a"}), Media.BINARY, "application/zip"),
        ("song.mp3", b"ID3\x04\0\0\0\0\0\0\x01\x02\x03", Media.BINARY, "audio/mpeg"),
        ("blob", bytes(range(256)), Media.BINARY, "application/octet-stream"),
    ],
)
def test_bytes_and_name_tell_what_a_file_is(name: str, head: bytes, media: Media, mime: str) -> None:
    assert detect_kind(name, head) == FileKind(media, mime)


@pytest.mark.parametrize(
    ("claimed", "head", "media"),
    [
        ("picture.txt", documents.png(1, 1), Media.IMAGE),
        ("page.png", b"<!doctype html><script>alert(1)</script>", Media.HTML),
        ("program.pdf", b"\x7fELF\x02\x01\x01\0\0\0", Media.BINARY),
        ("words.docx", b"just words", Media.TEXT),
        ("sheet.docx", SHEET[:8192], Media.SHEET),
        ("word.zip", WORD[:8192], Media.DOCUMENT),
        ("slides", SLIDES[:8192], Media.SLIDES),
        ("sheet.csv", SHEET[:8192], Media.SHEET),
        ("sheet.txt", ODS[:8192], Media.SHEET),
    ],
)
def test_a_wrong_name_deceives_nobody(claimed: str, head: bytes, media: Media) -> None:
    assert detect_kind(claimed, head).media is media


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize(
    "text", ["Hello there, all of you.\n", "Привет, мир\n", "こんにちは、世界。\n", "שלום 😀\n"]
)
def test_text_is_text_in_every_unicode_encoding(text: str, encoding: str) -> None:
    assert detect_kind("a.txt", text.encode(encoding)).media is Media.TEXT


@given(
    st.text(), st.sampled_from([".txt", ".md", ".py", "", ".png", ".docx", ".zip"]), st.binary(max_size=300)
)
def test_any_name_and_any_bytes_have_a_kind(name: str, extension: str, head: bytes) -> None:
    assert detect_kind(name + extension, head).media in Media


def test_an_empty_file_is_what_its_name_says() -> None:
    assert detect_kind("pkg/__init__.py", b"").media is Media.CODE
    assert detect_kind("nothing", b"").media is Media.TEXT
