"""Small real files, made in code: PDF, office files, pictures, and the bombs among them."""

import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import docx
import pptx
import xlsxwriter
from docx.document import Document
from pptx.presentation import Presentation


def pdf(pages: Sequence[str], *, title: str = "") -> bytes:
    """A PDF with one line of text for each line of a page; only characters of Latin-1."""
    streams = [page_stream(page) for page in pages]
    return pdf_of_streams(streams, title=title)


def page_stream(page: str) -> bytes:
    """The drawing commands that put the lines of a page on paper."""
    lines = [f"({escaped(line)}) Tj T*" for line in page.split("\n")]
    return "\n".join(["BT /F1 10 Tf 12 TL 40 780 Td", *lines, "ET"]).encode("cp1252")


def escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")


def pdf_of_streams(streams: Sequence[bytes], *, title: str = "", extra: bytes = b"") -> bytes:
    """A PDF whose pages draw these streams, packed."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(streams)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(streams)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for number, stream in enumerate(streams):
        objects += [pdf_page(5 + 2 * number, extra), packed_stream(stream)]
    objects.append(f"<< /Title ({escaped(title)}) >>".encode("cp1252"))
    return pdf_of_objects(objects, info=len(objects))


def pdf_page(contents: int, extra: bytes) -> bytes:
    return (
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] %b"
        b"/Resources << /Font << /F1 3 0 R >> >> /Contents %d 0 R >>" % (extra, contents)
    )


def packed_stream(stream: bytes, *, filters: int = 1) -> bytes:
    for _ in range(filters):
        stream = zlib.compress(stream)
    names = b" ".join([b"/FlateDecode"] * filters)
    return b"<< /Length %d /Filter [%b] >>\nstream\n%b\nendstream" % (len(stream), names, stream)


def pdf_of_objects(objects: Sequence[bytes], *, info: int | None = None, trailer: bytes = b"") -> bytes:
    """A PDF of these objects, numbered from 1; the first is the catalogue."""
    out, places = io.BytesIO(), list[int]()
    out.write(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    for number, body in enumerate(objects, start=1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n%b\nendobj\n" % (number, body))
    start = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    out.write(b"".join(b"%010d 00000 n \n" % place for place in places))
    about = b"/Info %d 0 R " % info if info else b""
    out.write(b"trailer\n<< /Size %d /Root 1 0 R %b%b>>\n" % (len(objects) + 1, about, trailer))
    out.write(b"startxref\n%d\n%%%%EOF\n" % start)
    return out.getvalue()


def scanned_pdf() -> bytes:
    """A PDF whose only page is a drawing without letters."""
    return pdf_of_streams([b"0 0 1 rg 10 10 200 200 re f"])


def locked_pdf() -> bytes:
    """A PDF that opens only with a password that nobody told us."""
    locked = (
        b"/Encrypt << /Filter /Standard /V 1 /R 2 /P -44 /O <%b> /U <%b> >> "
        b"/ID [<00112233445566778899aabbccddeeff> <00112233445566778899aabbccddeeff>] "
    ) % (b"ab" * 32, b"cd" * 32)
    return pdf_of_objects(
        [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [] /Count 0 >>"], trailer=locked
    )


def saved(save: Callable[[io.BytesIO], object]) -> bytes:
    out = io.BytesIO()
    save(out)
    return out.getvalue()


def word(write: Callable[[Document], object], *, title: str = "") -> bytes:
    """A Word document that `write` filled."""
    document = docx.Document()
    document.core_properties.title = title
    write(document)
    return saved(document.save)


def slides(write: Callable[[Presentation], object]) -> bytes:
    """A presentation that `write` filled."""
    presentation = pptx.Presentation()
    write(presentation)
    return saved(presentation.save)


def workbook(sheets: dict[str, Iterable[Sequence[object]]]) -> bytes:
    """An Excel workbook with these rows on its sheets."""
    out = io.BytesIO()
    with xlsxwriter.Workbook(out, {"in_memory": True, "default_date_format": "yyyy-mm-dd"}) as book:
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for number, row in enumerate(rows):
                sheet.write_row(number, 0, row)
    return out.getvalue()


def open_document_sheet(name: str, rows: Iterable[Sequence[str]]) -> bytes:
    """An OpenDocument spreadsheet with one sheet of text cells."""
    cells = "".join(
        "<table:table-row>"
        + "".join(
            f'<table:table-cell office:value-type="string"><text:p>{cell}</text:p></table:table-cell>'
            for cell in row
        )
        + "</table:table-row>"
        for row in rows
    )
    base = "urn:oasis:names:tc:opendocument:xmlns"
    content = (
        f'<office:document-content xmlns:office="{base}:office:1.0" xmlns:table="{base}:table:1.0" '
        f'xmlns:text="{base}:text:1.0"><office:body><office:spreadsheet><table:table table:name="{name}">'
        f"{cells}</table:table></office:spreadsheet></office:body></office:document-content>"
    )
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    manifest = f'<manifest:manifest xmlns:manifest="{base}:manifest:1.0"/>'
    return archive(
        {"mimetype": kind, "content.xml": content, "META-INF/manifest.xml": manifest}, packed=False
    )


def archive(members: Mapping[str, str | bytes], *, packed: bool = True) -> bytes:
    """A zip with these members."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED) as zipped:
        for name, data in members.items():
            zipped.writestr(name, data)
    return out.getvalue()


def with_member(office: bytes, name: str, data: bytes) -> bytes:
    """The office file with one member replaced or added."""
    with zipfile.ZipFile(io.BytesIO(office)) as zipped:
        members: dict[str, str | bytes] = {info.filename: zipped.read(info) for info in zipped.infolist()}
    return archive(members | {name: data})


def member(office: bytes, name: str) -> bytes:
    """One member of an office file."""
    with zipfile.ZipFile(io.BytesIO(office)) as zipped:
        return zipped.read(name)


def zeros(size: int) -> bytes:
    """Text that packs a thousand times smaller."""
    return b" " * size


def png(width: int, height: int) -> bytes:
    """A PNG that says it is this large; its one line of pixels does not matter to whoever reads headers."""
    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(b"\0" * 5)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
    )


def put(folder: Path, name: str, data: bytes) -> Path:
    """Write a file and return where it is."""
    path = folder / name
    path.write_bytes(data)
    return path
