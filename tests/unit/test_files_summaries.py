"""What a file is about, told from its first words and without the marks around them."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tertulia.files.extract.file_kinds import Media
from tertulia.files.file_summaries import COMMENT_DELIMITERS, FILE_SUMMARY_MAX_CHARS, summarise_text

SENTENCE = "Reads the tides of a harbour."
#: How languages write a comment or a docstring at the beginning of a file.
COMMENTS = [
    '"""{}"""',
    '"""{}\n\nMore of it.\n"""',
    '"""\n{}\n"""',
    "'''{}'''",
    'r"""{}"""',
    'Rb"""{}"""',
    '#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\n"""{}"""\n\nimport os',
    "#!/bin/sh\n# {}\nset -e",
    "# {}\n\nclass Tides\nend",
    "=begin\n{}\n=end",
    "/* {} */",
    "/** {} */\nexport const x = 1;",
    "/**\n * {}\n * @module tides\n */",
    "/*! {} */",
    "/***** {} *****/",
    "// {}\npackage main",
    "//! {}\nuse std::io;",
    "<!-- {} -->\n<template></template>",
    "<!--\n  {}\n-->",
    "<%-- {} --%>",
    "{{{{!-- {} --}}}}",
    "{{# {} #}}",
    "{{- {} -}}\nmodule Tides where",
    "(* {} *)",
    "--[[ {} ]]",
    "-- {}\nSELECT 1;",
    "; {}",
    ";;; {} ;;",
    "% {}",
    "#| {} |#",
    "#= {} =#",
    "<# {} #>",
    "#=====\n# {}\n#=====",
    '"{}"',
    "'use strict';\n// {}",
    "// SPDX-License-Identifier: MIT\n// {}",
]


@pytest.mark.parametrize("comment", COMMENTS)
def test_the_summary_of_code_has_no_marks_of_its_comment(comment: str) -> None:
    assert summarise_text(comment.format(SENTENCE), Media.CODE) == SENTENCE


@given(words=st.lists(st.sampled_from(["tides", "of", "the", "harbour", "C++", "a-b"]), min_size=1))
def test_what_ends_a_comment_never_ends_its_summary(words: list[str]) -> None:
    said = " ".join(words)
    for (begin, end), space in product(COMMENT_DELIMITERS.items(), ("", " ", "\n")):
        summary = summarise_text(f"{begin}{space}{said}{space}{end}\nx = 1\n", Media.CODE)
        assert summary in (said, said[: len(summary) - 1] + "…")
        assert len(summary) <= FILE_SUMMARY_MAX_CHARS


def test_a_remark_in_code_is_no_heading() -> None:
    assert summarise_text('"""Reads tides."""\n\n# nothing else\n', Media.CODE) == "Reads tides."


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ("Some words.\n\n# A heading #\n", "A heading"),
        ("First one. Second one.", "First one."),
        ("> Quoted, then said", "Quoted, then said"),
        ("See [[the wiki]]", "See [[the wiki]]"),
        ("What C# and C++ are", "What C# and C++ are"),
        ("", ""),
        ("---\n\n***\n", ""),
    ],
)
def test_the_summary_of_a_text_is_its_first_heading_or_sentence(text: str, summary: str) -> None:
    assert summarise_text(text, Media.MARKDOWN) == summary
