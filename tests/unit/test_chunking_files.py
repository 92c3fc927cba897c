"""Files are cut along their structure: headings, definitions, paragraphs, rows."""

from time import thread_time

import pytest

from tertulia.retrieval.chunking.domain import Chunk, ChunkKind
from tertulia.retrieval.chunking.file_chunks import chunk_file
from tertulia.retrieval.chunking.languages import detect_language

BODY = "    total = first + second * 3\n" * 12
SENTENCES = "The river is wide here, and slow. Boats wait for the tide to turn. " * 8


def cut(text: str, path: str = "notes.md", media: str = "markdown", *, plain: bool = False) -> list[Chunk]:
    return list(chunk_file([text], path=path, media=media, plain=plain))


def holding(chunks: list[Chunk], words: str) -> Chunk:
    """Return the one chunk that holds these words."""
    found = [chunk for chunk in chunks if words in chunk.content]
    assert len(found) == 1, [chunk.content for chunk in found]
    return found[0]


def test_markdown_is_cut_at_headings_and_knows_what_it_stands_below() -> None:
    linux = f"Linux\n-----\n\n{SENTENCES}\n\n{SENTENCES} Last.\n"
    text = f"# Guide\n\n{SENTENCES}\n\n## Install\n\n{SENTENCES}\n\n{linux}"

    chunks = cut(text)

    assert holding(chunks, "# Guide").context == ""
    assert holding(chunks, "## Install").context == "Guide"
    assert holding(chunks, "## Install").summary == "Install: The river is wide here, and slow."
    assert holding(chunks, "Last.").context == "Guide › Linux"


def test_a_fenced_block_stays_whole_and_is_code() -> None:
    code = "```python\n" + "print('# not a heading')\n\n" * 30 + "```"

    block = holding(cut(f"# Use\n\n{SENTENCES}\n\n{code}\n\n{SENTENCES}"), "```python")

    assert (block.kind, block.language) == (ChunkKind.CODE, "python")
    assert block.content == code


def test_a_large_markdown_table_is_cut_by_rows_below_its_header() -> None:
    table = "| City | People |\n|------|--------|\n" + "".join(
        f"| Place {n} | {n}000 |\n" for n in range(200)
    )

    later = cut(f"# Cities\n\n{table}")[-1]

    assert later.kind is ChunkKind.TABLE
    assert later.context == "Cities › City | People"
    assert later.summary == "City | People"


def test_tiny_sections_are_gathered() -> None:
    assert len(cut("# A\n\nOne.\n\n# B\n\nTwo.\n\n# C\n\nThree.\n")) == 1


def test_front_matter_is_no_heading() -> None:
    chunks = cut(f"---\ntitle: Tides\n---\n\n# Sea\n\n{SENTENCES}\n\n{SENTENCES}")

    assert chunks[-1].context == "Sea"


def test_prose_is_gathered_by_paragraph_and_long_rows_cut_after_a_sentence() -> None:
    chunks = cut("Short.\n\nShort too.\n\n" + SENTENCES * 6, "a.txt", "text")

    assert chunks[0].content.startswith("Short.\n\nShort too.")
    assert all(chunk.content.endswith(".") and chunk.tokens <= 300 for chunk in chunks)


def test_a_table_is_cut_by_records_below_its_header_and_quoted_rows_stay_together() -> None:
    text = "name,note\n" + "".join(f'n{n},"first\nsecond {n}"\n' for n in range(200))

    chunks = cut(text, "a.csv", "table")

    assert chunks[0].context == ""
    assert {chunk.context for chunk in chunks[1:]} == {"name | note"}
    assert all(chunk.content.endswith('"') for chunk in chunks)


def test_each_sheet_has_its_own_header() -> None:
    rows = "".join(f"{n}\tsome words {n}\n" for n in range(120))

    chunks = cut(f"# Costs\n\nyear\twhat\n{rows}\n# People\n\nage\twho\n{rows}", "a.xlsx", "sheet")

    contexts = {chunk.context for chunk in chunks}
    assert {"Costs › year | what", "People › age | who"} <= contexts


DOC = "/** Add up. */\n"
#: Two definitions, the first with a comment before it: how that begins, and how the second does.
SOURCES = {
    "a.py": (
        f"import os\n\n\n# Why.\n@cached\ndef one(a):\n{BODY}\n\ndef two():\n{BODY}",
        "# Why",
        "def two",
    ),
    "a.ts": (
        f"{DOC}export function one(a) {{\n{BODY}}}\n\nexport const two = () => {{\n{BODY}}}\n",
        "/** Add",
        "export const two",
    ),
    "a.go": (
        f"package a\n\n// One adds.\nfunc One(a int) {{\n{BODY}}}\n\nfunc (s *S) Two() {{\n{BODY}}}\n",
        "// One",
        "func (s *S) Two",
    ),
    "a.rs": (
        f"use a::b;\n\n/// Add up.\n#[inline]\npub fn one(a: u8) {{\n{BODY}}}\n\nfn two() {{\n{BODY}}}\n",
        "/// Add",
        "fn two",
    ),
    "A.java": (
        f"class A {{\n  {DOC}  @Deprecated\n  int one() {{\n{BODY}  }}\n\n  int two() {{\n{BODY}  }}\n}}\n",
        "/** Add",
        "int two",
    ),
    "a.c": (
        f"#include <a.h>\n\n{DOC}int one(int a) {{\n{BODY}}}\n\nstatic int two(void) {{\n{BODY}}}\n",
        "/** Add",
        "static int two",
    ),
}


@pytest.mark.parametrize("path", SOURCES)
def test_code_is_cut_by_definition_with_what_was_written_before_it(path: str) -> None:
    text, comment, second = SOURCES[path]

    chunks = cut(text, path, "code")

    assert "one" in holding(chunks, comment).content.lower()
    assert holding(chunks, second) is not holding(chunks, comment)
    assert holding(chunks, second).content.startswith((second, "  " + second))
    assert {chunk.kind for chunk in chunks} == {ChunkKind.CODE}


def test_a_large_class_is_cut_by_method_and_a_small_one_is_not() -> None:
    method = "    def {name}(self):\n" + BODY.replace("    ", "        ") + "\n"
    large = "class Large:\n    size = 1\n\n" + "".join(method.format(name=f"m{n}") for n in range(4))
    small = 'class Small:\n    """Little."""\n\n    def a(self): return 1\n\n    def b(self): return 2\n'

    chunks = cut(large + "\n" + small, "a.py", "code")

    assert holding(chunks, "def m3").context == "class Large"
    assert "def b" in holding(chunks, "class Small").content
    assert holding(chunks, "def m3").summary == "def m3(self)"


def test_a_huge_function_is_cut_and_its_parts_stand_below_its_name() -> None:
    chunks = cut("class A:\n    def huge(self):\n" + BODY.replace("    ", "        ") * 12, "a.py", "code")

    assert chunks[-1].context == "class A › def huge"


def test_a_language_without_a_parser_is_cut_by_blocks() -> None:
    table = "CREATE TABLE t{n} (\n" + "  name TEXT NOT NULL,\n" * 40 + "  id INTEGER\n);\n"

    chunks = cut(table.format(n=1) + table.format(n=2), "a.sql", "code")

    assert [chunk.content.split(" (")[0] for chunk in chunks] == ["CREATE TABLE t1", "CREATE TABLE t2"]
    assert {chunk.language for chunk in chunks} == {"sql"}


def test_plain_chunks_are_fifty_lines_whatever_they_hold() -> None:
    text = "".join(f"line {n}\n" for n in range(1, 121))

    spans = [(chunk.start_line, chunk.end_line) for chunk in cut(text, plain=True)]

    assert spans == [(1, 50), (51, 100), (101, 120)]


def test_only_a_line_feed_ends_a_line() -> None:
    chunks = cut(f"one\u2028\x0cone\rone\r\n\r\n{SENTENCES}\r\n\r\n{SENTENCES}{SENTENCES}", "a.txt", "text")

    assert chunks[0].start_line == 1
    assert chunks[-1].end_line == 5


@pytest.mark.parametrize("unit", ["x", "aG9", "var a=1;", "日本", "👩‍👩‍👧‍👦", "\0"])
def test_one_enormous_line_is_cut_by_characters(unit: str) -> None:
    text = unit * (60_000 // len(unit))

    chunks = cut(text, "a.min.js", "code")

    assert "".join(chunk.content for chunk in chunks) == text
    assert max(chunk.tokens for chunk in chunks) <= 500


@pytest.mark.parametrize("opening", ["[\n", "{\n", "(", "if a:\n ", "class A {\n", "/*", "<"])
@pytest.mark.parametrize("path", ["a.py", "a.ts", "a.cpp"])
def test_code_that_is_nested_without_end_is_cut_all_the_same(opening: str, path: str) -> None:
    assert cut(opening * 2_000, path, "code")


@pytest.mark.parametrize(
    ("path", "opening", "language"),
    [
        ("src/a.PY", "", "python"),
        ("bin/run", "#!/usr/bin/env python3\n", "python"),
        ("bin/run", "#!/bin/sh\n", "bash"),
        ("Makefile", "", "makefile"),
        ("a.h", "namespace a {}", "cpp"),
        ("a.h", "int a;", "c"),
        ("notes", "", ""),
    ],
)
def test_a_language_is_known_by_name_or_by_how_the_file_opens(path: str, opening: str, language: str) -> None:
    assert detect_language(path, opening) == language


ORDINARY = "def add(one, other):\n    return one + other\n\n\n" * 800


@pytest.mark.parametrize(
    "code",
    [
        'X = f"' + "{1}" * 90_000 + '"',
        "1}{\n" * 20_000,
        "(\n" + "{1}\n" * 20_000,
        ORDINARY + "\n1}{" * 8_000,
        ORDINARY + "\n(\n" + "{1}\n" * 8_000,
    ],
)
def test_code_that_keeps_a_parser_busy_is_cut_without_it(code: str) -> None:
    began = thread_time()
    chunks = cut(code, "tools/endless.py", "code")

    assert thread_time() - began < 5
    assert chunks[-1].end_line == code.count("\n") + (not code.endswith("\n"))
