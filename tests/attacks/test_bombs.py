"""Files made to overload whoever reads them (A13): each ends in a sentence, soon and within its bounds."""

import asyncio
import json
import sys
import textwrap
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests import documents
from tests.documents import put

from tertulia.core.byte_units import MEBIBYTE_BYTES
from tertulia.files.extract.file_kinds import detect_kind
from tertulia.files.extract.limits import ExtractionLimits
from tertulia.files.extract.service import extract_file

LIMITS = ExtractionLimits(seconds=30, memory_bytes=512 * MEBIBYTE_BYTES, page_seconds=4)
WORD = documents.word(lambda document: document.add_paragraph("MARK"))
BODY = documents.member(WORD, "word/document.xml")
BOOK = documents.workbook({"A": [["x"]]})
SHEET = documents.member(BOOK, "xl/worksheets/sheet1.xml")
SLIDES = documents.slides(lambda deck: deck.slides.add_slide(deck.slide_layouts[0]))
ODS = documents.open_document_sheet("A", [["x"]])
LAUGHS = b"<!DOCTYPE x [<!ENTITY a0 'ha'>%b]>" % b"".join(
    b"<!ENTITY a%d '%b'>" % (n + 1, b"&a%d;" % n * 10) for n in range(9)
)
REACH_OUT = b"<!DOCTYPE x [<!ENTITY a9 SYSTEM 'file:///etc/passwd'>]>"


@dataclass(frozen=True)
class Measured:
    """What an extraction gave, and what the process that read the file took."""

    problem: str
    text: str
    pages: int
    peak: int
    cpu: float


#: A process of its own: the peak of a child counts its parent's size, which pytest's own would blur.
MEASURE = textwrap.dedent("""
    import asyncio, json, resource, sys
    from pathlib import Path
    from tertulia.files.extract.file_kinds import detect_kind
    from tertulia.files.extract.limits import ExtractionLimits
    from tertulia.files.extract.service import extract_file
    source, limits = Path(sys.argv[1]), ExtractionLimits(**json.loads(sys.argv[2]))
    kind = detect_kind(source.name, source.open("rb").read(8192))
    found = asyncio.run(extract_file(source, kind=kind, into=source.with_suffix(".out"), limits=limits))
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    text = found.text.read_text()[:1000] if found.text else ""
    print(json.dumps({"problem": found.problem, "text": text, "pages": len(found.pages),
                      "peak": used.ru_maxrss * 1024, "cpu": used.ru_utime + used.ru_stime}))
""")


async def measure(source: Path, **limits: float) -> Measured:
    orders = json.dumps({"seconds": 30, "memory_bytes": LIMITS.memory_bytes, "page_seconds": 4} | limits)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", MEASURE, str(source), orders, stdout=asyncio.subprocess.PIPE
    )
    output, _ = await process.communicate()
    return Measured(**json.loads(output))


def body(new: bytes) -> bytes:
    """The Word document with something before its only paragraph."""
    return documents.with_member(WORD, "word/document.xml", BODY.replace(b"<w:p>", new + b"<w:p>", 1))


def entities(doctype: bytes) -> bytes:
    """The Word document with a DTD, whose entity its paragraph uses."""
    xml = BODY.split(b"?>", 1)[1].replace(b"MARK", b"&a9;")
    return documents.with_member(WORD, "word/document.xml", b'<?xml version="1.0"?>' + doctype + xml)


def wide_entities(doctype: bytes) -> bytes:
    """The same in UTF-16, where a search for ASCII finds nothing."""
    xml = BODY.split(b"?>", 1)[1].replace(b"MARK", b"&a9;")
    text = (b"<?xml version='1.0' encoding='UTF-16'?>" + doctype + xml).decode()
    return documents.with_member(WORD, "word/document.xml", text.encode("utf-16"))


def sheet(new: bytes) -> bytes:
    """The workbook with more at the end of its only sheet."""
    xml = SHEET.replace(b"</sheetData>", new + b"</sheetData>")
    return documents.with_member(BOOK, "xl/worksheets/sheet1.xml", xml)


def liar() -> bytes:
    """A workbook that says its sheet is small when it unpacks to 64 MB."""
    data = bytearray(sheet(documents.zeros(64 * MEBIBYTE_BYTES)))
    entry = data.rfind(b"PK\x01\x02", 0, data.rfind(b"xl/worksheets/sheet1.xml"))
    data[entry + 24 : entry + 28] = (1000).to_bytes(4, "little")
    return bytes(data)


def repeated() -> bytes:
    """An OpenDocument sheet that repeats one cell sixteen milliard times."""
    xml = documents.member(ODS, "content.xml")
    xml = xml.replace(b"<table:table-row>", b'<table:table-row table:number-rows-repeated="1000000">')
    cells = b'<table:table-cell table:number-columns-repeated="16000" '
    return documents.with_member(ODS, "content.xml", xml.replace(b"<table:table-cell ", cells))


def zeros_packed(size: int) -> bytes:
    """Blanks of this size, packed by repeating one packed block."""
    packer = zlib.compressobj()
    head = packer.compress(b"") + packer.flush(zlib.Z_FULL_FLUSH)
    block = packer.compress(documents.zeros(MEBIBYTE_BYTES)) + packer.flush(zlib.Z_FULL_FLUSH)
    return head + block * (size // MEBIBYTE_BYTES) + packer.flush()


def pdf_page_of(stream: bytes, *, filters: bytes = b"/FlateDecode") -> bytes:
    """A PDF of one good page and one whose packed content is given."""
    content = b"<< /Length %d /Filter [%b] >>\nstream\n%b\nendstream" % (len(stream), filters, stream)
    good = documents.packed_stream(documents.page_stream("a good page"))
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
    pages = [documents.pdf_page(5, b""), good, documents.pdf_page(7, b""), content]
    root = [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [4 0 R 6 0 R] /Count 2 >>", font]
    return documents.pdf_of_objects([*root, *pages])


def laughing_pdf() -> bytes:
    """A PDF whose page draws a form that draws ten that draw ten more, ten levels down."""
    draws = b"/A Do " * 10
    form = (
        b"<< /Type /XObject /Subtype /Form /BBox [0 0 600 800] /Length %d "
        b"/Resources << /XObject << /A %d 0 R >> /Font << /F1 3 0 R >> >> >>\nstream\n%b\nendstream"
    )
    last = b"BT /F1 10 Tf 10 10 Td (ha) Tj ET"
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R "
    return documents.pdf_of_objects(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            page + b"/Resources << /XObject << /A 6 0 R >> >> >>",
            documents.packed_stream(draws),
            *(form % (len(draws), number + 1, draws) for number in range(6, 16)),
            form % (len(last), 16, last),
        ]
    )


BOMBS: dict[str, tuple[str, Callable[[], bytes]]] = {
    "docx that unpacks to 20 MB": ("a.docx", lambda: body(documents.zeros(20 * MEBIBYTE_BYTES))),
    "docx of many members": (
        "a.docx",
        lambda: documents.archive({"[Content_Types].xml": ""} | {f"word/{n}.xml": "" for n in range(11_000)}),
    ),
    "docx with laughs": ("a.docx", lambda: entities(LAUGHS)),
    "docx nested 50,000 deep": (
        "a.docx",
        lambda: body(b"<w:sdt><w:sdtContent>" * 50_000 + b"</w:sdtContent></w:sdt>" * 50_000),
    ),
    "pptx that unpacks to 20 MB": (
        "a.pptx",
        lambda: documents.with_member(SLIDES, "ppt/slides/slide1.xml", documents.zeros(20 * MEBIBYTE_BYTES)),
    ),
    "xlsx that unpacks to 20 MB": ("a.xlsx", lambda: sheet(documents.zeros(20 * MEBIBYTE_BYTES))),
    "xlsx with a cell at each end": (
        "a.xlsx",
        lambda: sheet(b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'),
    ),
    "ods that repeats a cell": ("a.ods", repeated),
    "pdf with a stream of 1 GB": ("a.pdf", lambda: pdf_page_of(zeros_packed(1024 * MEBIBYTE_BYTES))),
    "pdf packed twice": (
        "a.pdf",
        lambda: pdf_page_of(
            zlib.compress(zeros_packed(1024 * MEBIBYTE_BYTES)), filters=b"/FlateDecode /FlateDecode"
        ),
    ),
    "pdf with forms in forms": ("a.pdf", laughing_pdf),
    "png of 100,000 by 100,000": ("a.png", lambda: documents.png(100_000, 100_000)),
}


@pytest.mark.parametrize("bomb", BOMBS)
async def test_a_bomb_ends_in_a_sentence_within_its_bounds(tmp_path: Path, bomb: str) -> None:
    name, make = BOMBS[bomb]
    found = await measure(put(tmp_path, name, make()))
    assert found.problem.endswith(".")
    assert found.peak < LIMITS.memory_bytes
    assert found.cpu < 12


@pytest.mark.parametrize("make", [entities, wide_entities])
async def test_a_document_reaches_no_other_file(tmp_path: Path, make: Callable[[bytes], bytes]) -> None:
    found = await measure(put(tmp_path, "a.docx", make(REACH_OUT)))
    assert "root:" not in found.text


async def test_laughs_in_another_encoding_do_not_grow(tmp_path: Path) -> None:
    found = await measure(put(tmp_path, "a.docx", wide_entities(LAUGHS)))
    assert "haha" not in found.text
    assert found.peak < 200 * MEBIBYTE_BYTES


async def test_a_workbook_that_lies_about_its_size_stays_within_bounds(tmp_path: Path) -> None:
    found = await measure(put(tmp_path, "a.xlsx", liar()), memory_bytes=80 * MEBIBYTE_BYTES)
    assert "overload" in found.problem
    assert found.peak < 80 * MEBIBYTE_BYTES


async def test_an_archive_within_an_archive_stays_closed(tmp_path: Path) -> None:
    inner = documents.archive({"bomb": documents.zeros(50 * MEBIBYTE_BYTES)})
    found = await measure(
        put(tmp_path, "a.docx", documents.with_member(WORD, "word/embeddings/a.zip", inner))
    )
    assert found.text == "MARK\n\n"
    assert found.peak < 100 * MEBIBYTE_BYTES


@pytest.mark.parametrize("tag", ["div", "table><tr><td", "ul><li", "pre"])
async def test_a_page_nested_100_000_deep_is_read_in_little_memory(tmp_path: Path, tag: str) -> None:
    page = f"<!doctype html><p>before</p>{f'<{tag}>' * 100_000}deep"
    found = await measure(put(tmp_path, "a.html", page.encode()))
    assert found.text.startswith("before")
    assert found.peak < 300 * MEBIBYTE_BYTES


@pytest.mark.parametrize(
    "stream",
    [b"[" * 3_000_000, b"q " * 3_000_000, b"<<" * 1_000_000],
    ids=["lists", "states", "dictionaries"],
)
async def test_a_pdf_nested_deeply_costs_only_that_page(tmp_path: Path, stream: bytes) -> None:
    found = await measure(put(tmp_path, "a.pdf", pdf_page_of(zlib.compress(stream))))
    assert found.text.startswith("a good page")
    assert found.peak < LIMITS.memory_bytes


async def test_pages_before_a_bomb_are_kept_with_their_pointers(tmp_path: Path) -> None:
    found = await measure(put(tmp_path, "a.pdf", pdf_page_of(zeros_packed(1024 * MEBIBYTE_BYTES))))
    assert found.text == "a good page\n\n"
    assert found.pages == 1
    assert found.problem.startswith("Only the first part")


async def test_a_pdf_whose_pages_go_in_circles_ends(tmp_path: Path) -> None:
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
    circle = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [2 0 R 2 0 R 4 0 R] /Count 1000000 >>",
        font,
        documents.pdf_page(5, b""),
        documents.packed_stream(documents.page_stream("round")),
    ]
    found = await measure(put(tmp_path, "a.pdf", documents.pdf_of_objects(circle)), pages=500)
    assert found.problem == "" or found.problem.endswith(".")
    assert found.pages <= 500


async def test_a_reader_is_stopped_at_its_deadline(tmp_path: Path) -> None:
    source = put(tmp_path, "a.pdf", laughing_pdf())
    kind = detect_kind("a.pdf", source.read_bytes()[:8192])
    async with asyncio.timeout(5):
        found = await extract_file(
            source, kind=kind, into=tmp_path / "out", limits=ExtractionLimits(seconds=1)
        )
    assert found.problem == "Reading the file took longer than 1 seconds and was stopped."


async def test_500_pages_are_read_quickly_and_in_little_memory(tmp_path: Path) -> None:
    lines = "\n".join(f"line {n} of a page with a dozen words or so on it, as in a book" for n in range(50))
    source = put(tmp_path, "a.pdf", documents.pdf([f"Page {n}\n{lines}" for n in range(500)]))
    found = await measure(source)
    assert (found.problem, found.pages) == ("", 500)
    assert found.cpu < 10
    assert found.peak < 200 * MEBIBYTE_BYTES
