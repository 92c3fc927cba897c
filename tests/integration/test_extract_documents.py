"""PDF, office files and web pages: what they say, in order, with pointers to their pages."""

import datetime
from pathlib import Path
from typing import Any

import pytest
from pptx.util import Inches
from tests import documents
from tests.documents import put

from tertulia.files.extract.domain import Extraction, PageStart
from tertulia.files.extract.file_kinds import detect_kind
from tertulia.files.extract.limits import DEFAULT_EXTRACTION_LIMITS, ExtractionLimits
from tertulia.files.extract.service import extract_file

UNICODE = "naïve Ελλάδα Привет עברית العربية हिन्दी 日本語 한국어 👩‍👩‍👧 \U0001d518 e\u0301"


async def taken(
    folder: Path, name: str, data: bytes, *, limits: ExtractionLimits = DEFAULT_EXTRACTION_LIMITS
) -> Extraction:
    source = put(folder, name, data)
    return await extract_file(source, kind=detect_kind(name, data[:8192]), into=folder / "out", limits=limits)


async def said(folder: Path, name: str, data: bytes) -> str:
    found = await taken(folder, name, data)
    assert found.problem == ""
    assert found.text is not None
    assert found.text == folder / "out"
    return found.text.read_bytes().decode()


def line(found: Extraction, number: int) -> str:
    assert found.text is not None
    return found.text.read_text().split("\n")[number - 1]


async def test_a_pdf_is_read_page_by_page(tmp_path: Path) -> None:
    data = documents.pdf(["Café (one)\nsecond line", "", "third page"], title="All of it")
    found = await taken(tmp_path, "a.pdf", data)
    assert (found.title, found.problem) == ("All of it", "")
    assert [page.label for page in found.pages] == ["page 1", "page 2", "page 3"]
    assert [line(found, found.pages[n].start_line) for n in (0, 2)] == ["Café (one)", "third page"]


async def test_a_scanned_pdf_says_that_it_has_no_text(tmp_path: Path) -> None:
    found = await taken(tmp_path, "a.pdf", documents.scanned_pdf())
    assert found.text is None
    assert "OCR" in found.problem
    assert not (tmp_path / "out").exists()


def fill_document(document: Any) -> None:
    document.add_heading("Report", 1)
    document.add_paragraph(UNICODE)
    document.add_paragraph("apples", style="List Bullet")
    document.add_paragraph("pears", style="List Bullet")
    table = document.add_table(2, 2)
    for place, text in {(0, 0): "Name", (0, 1): "a|b", (1, 0): "two\nlines", (1, 1): "3"}.items():
        table.cell(*place).text = text
    document.add_heading("Steps", 2)
    document.add_paragraph("first", style="List Number")
    document.add_paragraph("second", style="List Number")
    document.add_paragraph("The end.")


async def test_a_word_document_keeps_headings_lists_and_tables_in_order(tmp_path: Path) -> None:
    text = await said(tmp_path, "a.docx", documents.word(fill_document))
    assert text == (
        f"# Report\n\n{UNICODE}\n\n- apples\n- pears\n\n"
        "| Name | a\\|b |\n| --- | --- |\n| two lines | 3 |\n\n"
        "## Steps\n\n1. first\n2. second\n\nThe end.\n\n"
    )


async def test_a_word_document_is_named_by_its_title_or_first_heading(tmp_path: Path) -> None:
    assert (await taken(tmp_path, "a.docx", documents.word(fill_document))).title == "Report"
    assert (await taken(tmp_path, "a.docx", documents.word(fill_document, title="Plan\nB"))).title == "Plan B"


async def test_insertions_links_and_controls_are_read_and_deletions_are_not(tmp_path: Path) -> None:
    data = documents.word(lambda document: document.add_paragraph("MARK"))
    xml = documents.member(data, "word/document.xml")
    run = b"<w:r><w:t>%b</w:t></w:r>"
    paragraph = (
        b"<w:sdt><w:sdtContent><w:p><w:ins>%b</w:ins><w:del><w:r><w:delText>gone</w:delText></w:r></w:del>"
        b"<w:hyperlink>%b</w:hyperlink></w:p></w:sdtContent></w:sdt><w:p>"
    ) % (run % b"inserted ", run % b"linked")
    text = await said(
        tmp_path,
        "a.docx",
        documents.with_member(data, "word/document.xml", xml.replace(b"<w:p>", paragraph, 1)),
    )
    assert text == "inserted linked\n\nMARK\n\n"


def fill_slides(presentation: Any) -> None:
    first = presentation.slides.add_slide(presentation.slide_layouts[1])
    first.shapes.title.text = "Costs"
    first.placeholders[1].text = UNICODE
    deeper = first.placeholders[1].text_frame.add_paragraph()
    deeper.text, deeper.level = "detail", 1
    first.notes_slide.notes_text_frame.text = "say this slowly"
    second = presentation.slides.add_slide(presentation.slide_layouts[6])
    place = [Inches(1)] * 4
    table = second.shapes.add_table(1, 2, *place).table
    table.cell(0, 0).text, table.cell(0, 1).text = "left", "right"
    second.shapes.add_group_shape().shapes.add_textbox(*place).text_frame.text = "in a group"


async def test_slides_are_sections_with_tables_groups_and_notes(tmp_path: Path) -> None:
    found = await taken(tmp_path, "a.pptx", documents.slides(fill_slides))
    assert found.text is not None
    assert found.text.read_bytes().decode() == (
        f"# Costs\n\n{UNICODE}\n- detail\n\nNotes: say this slowly\n\n"
        "# Slide 2\n\n| left | right |\n| --- | --- |\n\nin a group\n\n"
    )
    assert found.pages == [PageStart("slide 1", 1), PageStart("slide 2", 8)]


async def test_sheets_are_rows_under_their_names(tmp_path: Path) -> None:
    rows = [["Name", "Price", "Since"], [UNICODE, 3.0, datetime.date(2026, 5, 1)], [], ["a\nb", 0.5, True]]
    found = await taken(tmp_path, "a.xlsx", documents.workbook({"Costs": rows, "Öl": [["x"]]}))
    assert found.text is not None
    assert found.text.read_bytes().decode() == (
        f"# Costs\n\nName\tPrice\tSince\n{UNICODE}\t3\t2026-05-01\na b\t0.5\tTRUE\n\n# Öl\n\nx\n\n"
    )
    assert found.pages == [PageStart('sheet "Costs"', 1), PageStart('sheet "Öl"', 7)]


async def test_an_open_document_sheet_is_read_too(tmp_path: Path) -> None:
    data = documents.open_document_sheet("Öl", [["a", UNICODE], ["1", "2"]])
    assert await said(tmp_path, "a.ods", data) == f"# Öl\n\na\t{UNICODE}\n1\t2\n\n"


async def test_rows_beyond_the_limit_are_left_out_and_said_so(tmp_path: Path) -> None:
    data = documents.workbook({"Long": [[n] for n in range(9)], "Short": [["x"]]})
    found = await taken(tmp_path, "a.xlsx", data, limits=ExtractionLimits(sheet_rows=3))
    assert found.text is not None
    assert found.text.read_text() == "# Long\n\n0\n1\n2\n\n# Short\n\nx\n\n"
    assert found.problem == "Only the first 3 rows of Long were read."


PAGE = f"""<!DOCTYPE html><html><head><title>A &amp; B</title><style>p {{}}</style></head><body>
<h2>Big <em>news</em></h2><p>Read <a href="http://x">this</a>,<br>please. {UNICODE}</p>
<ul><li>one<ul><li>deeper</li></ul></li><li>two</ul><ol><li>a<li>b</ol>
<table><tr><th>A<th>B<tr><td>1<td>2|3</table>
<pre><code class="language-python">if x:
    y()
</code></pre>
<script>steal()</script><!-- secret --><p hidden>unseen</p><div style="display: none"><p>unseen</p></div>
<img alt="A cat"><p>The end"""


async def test_a_web_page_is_read_as_people_see_it(tmp_path: Path) -> None:
    assert await said(tmp_path, "a.html", PAGE.encode()) == (
        f"## Big news\n\nRead this,\nplease. {UNICODE}\n\n- one\n  - deeper\n- two\n\n1. a\n2. b\n\n"
        "| A | B |\n| --- | --- |\n| 1 | 2\\|3 |\n\n```python\nif x:\n    y()\n```\n\nA cat\n\nThe end\n\n"
    )
    assert (await taken(tmp_path, "a.html", PAGE.encode())).title == "A & B"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "shift_jis"])
async def test_a_page_is_read_in_the_encoding_it_has(tmp_path: Path, encoding: str) -> None:
    page = f'<html><head><meta charset="{encoding}"></head><body><p>日本語 テスト</p></body></html>'
    assert await said(tmp_path, "a.html", page.encode(encoding)) == "日本語 テスト\n\n"


async def test_tables_that_only_lay_a_page_out_are_read_as_prose(tmp_path: Path) -> None:
    page = "<table><tr><td>menu<td><table><tr><td>a<td>b</table>after<td>side</table>"
    text = await said(tmp_path, "a.html", page.encode())
    assert text == "menu\n\n| a | b |\n| --- | --- |\n\nafter\n\nside\n\n\n"


GOOD = {
    "a.pdf": documents.pdf(["words " * 30] * 3),
    "a.docx": documents.word(fill_document),
    "a.pptx": documents.slides(fill_slides),
    "a.xlsx": documents.workbook({"A": [["x"]]}),
    "a.ods": documents.open_document_sheet("A", [["x"]]),
}


@pytest.mark.parametrize("name", GOOD)
async def test_a_damaged_file_says_so(tmp_path: Path, name: str) -> None:
    whole = GOOD[name]
    hurt = whole[: len(whole) // 3] + bytes(len(whole) // 2) + whole[-20:]
    for data in (whole[: len(whole) // 2], hurt):
        found = await taken(tmp_path, name, data)
        assert "damaged" in found.problem or found.text is not None
        assert found.text is None or name == "a.pdf", "a PDF can be mended in part"


@pytest.mark.parametrize("name", [*GOOD, "a.png", "a.html"])
async def test_an_empty_file_says_so(tmp_path: Path, name: str) -> None:
    expected = Extraction(None, [], "", "The file is empty.")
    assert await taken(tmp_path, name, b"") == expected


COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.pdf", documents.locked_pdf()),
        ("a.docx", COMPOUND + "EncryptedPackage".encode("utf-16-le")),
        ("a.pptx", COMPOUND + "EncryptedPackage".encode("utf-16-le")),
    ],
)
async def test_a_file_under_a_password_says_so(tmp_path: Path, name: str, data: bytes) -> None:
    found = await taken(tmp_path, name, data)
    assert found.text is None
    assert "password" in found.problem


async def test_an_old_word_file_says_what_to_do(tmp_path: Path) -> None:
    assert ".docx" in (await taken(tmp_path, "a.doc", COMPOUND)).problem


async def test_pictures_and_other_files_have_no_text(tmp_path: Path) -> None:
    assert await taken(tmp_path, "a.png", documents.png(640, 480)) == Extraction(None, [], "", "")
    assert "damaged" in (await taken(tmp_path, "a.png", documents.png(640, 480)[:14])).problem
    assert "No text" in (await taken(tmp_path, "a.zip", documents.archive({"a": "b"}))).problem


async def test_long_text_of_a_document_is_cut_and_said_so(tmp_path: Path) -> None:
    found = await taken(
        tmp_path, "a.pdf", documents.pdf(["one", "two", "three"]), limits=ExtractionLimits(text_bytes=10)
    )
    assert found.text is not None
    assert found.text.read_text() == "one\n\ntwo\n\n"
    assert found.problem == "Only the first 10 bytes of the text in this file are kept."
    assert [page.label for page in found.pages] == ["page 1", "page 2"]
