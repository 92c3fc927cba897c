"""The pages on files and search tell the truth: flags, signals and limits are those of the code."""

import re
from dataclasses import fields
from pathlib import Path

from tertulia.core.byte_units import MEBIBYTE_BYTES
from tertulia.files.extract.limits import ExtractionLimits
from tertulia.files.metadata import FileMetadata
from tertulia.retrieval.flags import Flags
from tertulia.retrieval.signal_weights import SignalWeights

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide"


def rows(page: str) -> list[list[str]]:
    lines = (GUIDE / page).read_text("utf-8").splitlines()
    return [[cell.strip(" `") for cell in line.strip("|").split(" | ")] for line in lines if "| `" in line]


def test_every_flag_is_explained_with_its_names_and_default() -> None:
    said = {row[1]: (row[0], row[2]) for row in rows("search.md") if row[0].startswith("RAG_")}
    shown = {True: "on", False: "off", None: "unset"}
    real = Flags()
    assert said == {
        one.name: (f"RAG_{one.name.upper()}", shown.get(value, str(value)))
        for one in fields(Flags)
        for value in [getattr(real, one.name)]
    }


def test_every_flag_is_named_among_the_settings() -> None:
    named = set(re.findall(r"`(RAG_[A-Z_]+)`", (GUIDE / "settings.md").read_text("utf-8")))
    assert named == {f"RAG_{one.name.upper()}" for one in fields(Flags)}


def test_every_signal_is_explained() -> None:
    said = {row[0] for row in rows("search.md") if len(row) == 2}
    assert {one.name for one in fields(SignalWeights)} <= said


def test_every_flag_of_a_file_is_explained_with_its_default() -> None:
    said = {row[0]: row[1] for row in rows("files.md")}
    flags = {name: one for name, one in FileMetadata.model_fields.items() if one.annotation is bool}
    assert said == {name: "on" if one.default else "off" for name, one in flags.items()}


def test_the_limits_of_reading_a_document_are_the_real_ones() -> None:
    text = " ".join((GUIDE / "files.md").read_text("utf-8").split())
    limits = ExtractionLimits()
    memory, written = limits.memory_bytes // MEBIBYTE_BYTES // 1024, limits.text_bytes // MEBIBYTE_BYTES
    assert f"{memory} GB of memory and {limits.seconds:g} seconds" in text
    assert f"{written} MB of text, {limits.pages:,} pages and {limits.sheet_rows:,} rows" in text
