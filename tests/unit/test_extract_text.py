"""Text-like files: clean ones are kept as they are, all others become UTF-8 with \\n line ends."""

import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.documents import put
from tests.effort import effort

from tertulia.core.byte_units import MEBIBYTE_BYTES
from tertulia.files.extract.domain import Extraction
from tertulia.files.extract.file_kinds import detect_kind
from tertulia.files.extract.limits import DEFAULT_EXTRACTION_LIMITS, ExtractionLimits
from tertulia.files.extract.service import (
    extract_file,
    truncate_broken_char,
)
from tertulia.files.extract.text_decoder import decode_file

FRENCH = "Où êtes-vous né ? Ça va très bien, merci. Voilà un café crème à 3 francs.\n"
JAPANESE = "これは日本語の文章です。今日はとても良い天気ですね。東京へ行きましょう。\n"
RUSSIAN = "Привет, мир! Это русский текст, записанный в старой кодировке.\n"


async def taken(
    folder: Path, data: bytes, *, name: str = "a.txt", limits: ExtractionLimits = DEFAULT_EXTRACTION_LIMITS
) -> Extraction:
    source = put(folder, name, data)
    return await extract_file(source, kind=detect_kind(name, data[:8192]), into=folder / "out", limits=limits)


def read(found: Extraction) -> str:
    assert found.text is not None
    return found.text.read_bytes().decode()


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.py", "a.csv", "a.svg"])
async def test_clean_text_is_not_copied(tmp_path: Path, name: str) -> None:
    found = await taken(tmp_path, "x = 'é日😀'\n".encode(), name=name)
    assert found == Extraction(tmp_path / name, [], "", "")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"one\r\ntwo\rthree\n", "one\ntwo\nthree\n"),
        ("\ufeffmarked\n".encode(), "marked\n"),
        (b"a lone \0 in words" + b"." * 300, "a lone \ufffd in words" + "." * 300),
        (b"", ""),
        (("é" * 50).encode() + b"\xff" + "è".encode(), "é" * 50 + "\ufffdè"),
        (("日本" * 50).encode()[:-1], "日本" * 49 + "日\ufffd"),
    ],
)
async def test_what_is_not_clean_is_cleaned(tmp_path: Path, data: bytes, text: str) -> None:
    assert read(await taken(tmp_path, data)) == text


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (FRENCH, "utf-16"),
        (FRENCH, "utf-16-le"),
        (JAPANESE, "utf-16-be"),
        (RUSSIAN + "😀\n", "utf-16-le"),
        (JAPANESE, "utf-32"),
        (FRENCH, "latin-1"),
        ("café\n", "latin-1"),
        ("Grüße aus München, schöne Straße\n", "cp1252"),
        (JAPANESE, "shift-jis"),
        (JAPANESE, "euc-jp"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN * 5, "koi8-r"),
        ("Příliš žluťoučký kůň úpěl ďábelské ódy.\n", "cp1250"),
        ("这是一个中文句子,用来测试编码检测。今天天气很好。\n", "gb18030"),
    ],
)
async def test_old_and_wide_encodings_are_understood(tmp_path: Path, text: str, encoding: str) -> None:
    assert read(await taken(tmp_path, text.encode(encoding))) == text


async def test_an_odd_byte_far_behind_an_ascii_beginning_is_understood(tmp_path: Path) -> None:
    text = "plain words\n" * 200_000 + FRENCH
    assert read(await taken(tmp_path, text.encode("latin-1"))) == text


@settings(max_examples=effort(60))
@given(
    text=st.text(), end=st.sampled_from(["\n", "\r\n", "\r"]), encoding=st.sampled_from(["utf-8", "utf-16"])
)
def test_unicode_of_every_kind_comes_through(
    tmp_path_factory: pytest.TempPathFactory, text: str, end: str, encoding: str
) -> None:
    folder = tmp_path_factory.mktemp("text")
    said = "\n".join(text.replace("\0", "").split()) + "\n"
    source = put(folder, "a", said.replace("\n", end).encode(encoding))
    assert read(decode_file(source, into=folder / "out", limits=ExtractionLimits())).removeprefix(
        "\ufeff"
    ) == said.removeprefix("\ufeff")


@given(data=st.binary(max_size=400))
@settings(max_examples=effort(60))
def test_any_bytes_become_valid_text(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    folder = tmp_path_factory.mktemp("bytes")
    text = read(decode_file(put(folder, "a", data), into=folder / "out", limits=ExtractionLimits()))
    assert "\0" not in text
    assert "\r" not in text


@given(text=st.text(), cut=st.integers(min_value=0, max_value=20))
@settings(max_examples=effort(60))
def test_a_text_that_breaks_off_within_a_character_is_mended(
    tmp_path_factory: pytest.TempPathFactory, text: str, cut: int
) -> None:
    data = text.encode()[: -cut or None]
    path = put(tmp_path_factory.mktemp("cut"), "a", data)
    truncate_broken_char(path)
    assert path.read_bytes() == data.decode("utf-8", "ignore").encode()


@pytest.mark.parametrize("start", ["", "\ufeff"])
async def test_text_beyond_the_limit_is_cut_at_a_character_and_said_so(tmp_path: Path, start: str) -> None:
    found = await taken(tmp_path, (start + "é" * 100).encode(), limits=ExtractionLimits(text_bytes=51))
    assert read(found) == "é" * 25
    assert found.problem == "Only the first 51 bytes of the text in this file are kept."


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
async def test_200_mb_of_text_stream_through_little_memory(tmp_path: Path, end: bytes) -> None:
    line = "Many words, some with áccents, in a long line of a long book.".encode() + end
    piece = line * (MEBIBYTE_BYTES // len(line))
    source = tmp_path / "long.txt"
    with source.open("wb") as file:
        for _ in range(199):
            file.write(piece)
    tracemalloc.start()
    found = await extract_file(source, kind=detect_kind("long.txt", piece[:8192]), into=tmp_path / "out")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 64 * MEBIBYTE_BYTES
    assert found.problem == ""
    assert found.text is not None
    assert found.text.stat().st_size == 199 * len(piece.replace(b"\r\n", b"\n"))
