"""Whatever a text holds: its chunks are exactly parts of it, in order, complete and small enough."""

from itertools import pairwise

from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.effort import HEALTH_CHECKS, effort

from tertulia.models.tokens import count
from tertulia.retrieval.chunking.domain import Chunk
from tertulia.retrieval.chunking.file_chunks import chunk_file
from tertulia.retrieval.chunking.message_chunks import chunk_message
from tertulia.retrieval.chunking.text_windows import WINDOW_MAX_CHARS, cut_at_seams, split_windows

some = settings(max_examples=effort(60))

MEDIA = ("text", "markdown", "code", "table", "html", "document", "pdf", "slides", "sheet", "unheard of")
NAMES = (
    "a.py",
    "a.ts",
    "a.tsx",
    "a.go",
    "a.rs",
    "a.java",
    "a.c",
    "a.h",
    "a.cpp",
    "a.cs",
    "a.rb",
    "a.php",
    "a.sh",
)
PATHS = (*NAMES, "a.js", "a.sql", "a.yaml", "Makefile", "a", "", "/", "a.csv", "a.md", "a/.hidden")

#: Rows that begin, end or disturb every structure we know.
rows = st.sampled_from(
    """
    # One|## Two|###### Six|#not|Title|=====|-----|---|```|```python|~~~|````|> quoted|- item|  - inner|
    1. first|a,b,c|"open,1|close",2|1;2;3|def f(x):|    return x|@decorated|class A:|
        def m(self): pass|
    import os|// note|/* open|*/|}|{|);|function f() {|export class B {|fn g() {}|impl X for Y {|#[test]|
    #include <a.h>|#ifndef A|#endif|package a|func (s *S) F() {|<?php|end|module M|namespace N {|\"\"\"|'''
    """.replace("\n    ", "").split("|")
)
oddities = st.sampled_from(
    [
        "",
        " ",
        "\t",
        "\r",
        "\x0c",
        "\u2028",
        "\ufeff",
        "\0",
        "\ud800",
        "\udfff",
        "👩‍👩‍👧‍👦",
        "e\u0301\u0302",
        "مرحبا",
        "日本語。",
        "\x85",
        "x" * 3000,
    ]
)
words = st.integers(0, 300).map(lambda n: "some words here. " * n)
cells = st.sampled_from(["| a | b |", "|--|--|", "|"])
lines = st.one_of(rows, rows, cells, oddities, words, st.text(st.characters(), max_size=30))
texts = st.one_of(
    st.lists(lines, max_size=60).flatmap(
        lambda parts: st.sampled_from(["\n", "\r\n", "\n\n", "\r", "\n    "]).map(lambda end: end.join(parts))
    ),
    st.text(st.characters(), max_size=400),
    st.tuples(st.text(st.characters(), min_size=1, max_size=6), st.integers(1, 4000)).map(
        lambda it: it[0] * it[1]
    ),
)


def check(text: str, chunks: list[Chunk], *, most: int = 500) -> None:
    """Check all that holds for the chunks of any text."""
    assert [chunk.index for chunk in chunks] == list(range(len(chunks)))
    for chunk in chunks:
        assert chunk.content == text[chunk.start_char : chunk.end_char]
        assert chunk.content.strip()
        assert chunk.start_line == 1 + text.count("\n", 0, chunk.start_char)
        assert chunk.end_line == 1 + text.count("\n", 0, chunk.end_char)
        assert chunk.tokens == count(chunk.content, "") <= most
        assert len(chunk.summary) <= 120
        assert (chunk.summary + chunk.context).isprintable() or "\n" not in chunk.summary + chunk.context
        (chunk.summary + chunk.context).encode()
    ends = [0, *(chunk.end_char for chunk in chunks)]
    starts = [*(chunk.start_char for chunk in chunks), len(text)]
    assert all(one.end_char <= two.start_char for one, two in pairwise(chunks))
    assert not any(text[end:start].strip() for end, start in zip(ends, starts, strict=True))


@given(texts, st.sampled_from(PATHS), st.sampled_from(MEDIA))
@example("\ufeff", "a.py", "code")
@example("\r\n\r\n", "a.md", "markdown")
@example("x" * 30_000, "a.js", "code")
@some
def test_every_visible_character_of_a_file_is_in_exactly_one_small_chunk(
    text: str, path: str, media: str
) -> None:
    check(text, list(chunk_file([text], path=path, media=media)))


@given(texts, st.sampled_from(NAMES))
@some
def test_code_is_covered_whatever_its_parser_makes_of_it(text: str, path: str) -> None:
    check(text, list(chunk_file([text], path=path, media="code")))


@given(texts)
@some
def test_a_plain_cut_covers_a_file_too(text: str) -> None:
    check(text, list(chunk_file([text], path="a.txt", media="text", plain=True)), most=2_000)


@given(texts)
@some
def test_every_visible_character_of_a_message_is_in_exactly_one_small_chunk(text: str) -> None:
    check(text, list(chunk_message(text)))


@given(texts)
@some
def test_a_message_may_stay_whole(text: str) -> None:
    chunks = list(chunk_message(text, as_one_chunk=True))

    check(text, chunks, most=len(text) * 16)
    assert len(chunks) == bool(text.strip())


@given(texts, st.sampled_from(PATHS), st.sampled_from(MEDIA), st.booleans(), st.integers(1, 500))
@some
def test_the_pieces_a_text_comes_in_make_no_difference(
    text: str, path: str, media: str, plain: bool, size: int
) -> None:
    pieces = [text[start : start + size] for start in range(0, len(text), size)]

    at_once = list(chunk_file([text], path=path, media=media, plain=plain))
    assert list(chunk_file(pieces, path=path, media=media, plain=plain)) == at_once


@given(st.lists(lines, min_size=2, max_size=20), st.sampled_from(MEDIA), st.integers(5_000, WINDOW_MAX_CHARS))
@settings(max_examples=effort(5), suppress_health_check=HEALTH_CHECKS)
def test_texts_of_several_windows_are_covered_as_well(parts: list[str], media: str, size: int) -> None:
    text = "\n".join(parts) + "some more words that make the row a usual one\n" * 10
    long = text * (WINDOW_MAX_CHARS // len(text) + 2)
    pieces = [long[start : start + size] for start in range(0, len(long), size)]

    check(long, list(chunk_file(pieces, path="a.py", media=media)))


@given(st.text("ab\n #", max_size=50), st.lists(st.integers(0, 50), max_size=5))
@some
def test_windows_lose_nothing(text: str, cuts: list[int]) -> None:
    ends = sorted({min(cut, len(text)) for cut in cuts} | {0, len(text)})

    assert "".join(split_windows([text[start:end] for start, end in pairwise(ends)], cut_at_seams())) == text
