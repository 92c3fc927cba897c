"""Whatever name arrives, a path is regular, relative and stays so, or it is refused."""

import unicodedata
from pathlib import PurePosixPath, PureWindowsPath

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tertulia.files.errors import PathInvalid
from tertulia.files.paths import (
    PATH_MAX_BYTES,
    PATH_SEGMENT_MAX_BYTES,
    ancestors,
    join_path,
    normalise,
    normalise_folder,
)

#: What attacks are made of, mixed with anything at all.
pieces = st.one_of(
    st.sampled_from(
        ["..", ".", "/", "\\", "a", "docs", "C:", "con", "NUL.txt", " ", "~", "%2e%2e", "é", "é"]
    ),
    st.sampled_from(
        ["\x00", "\n", "\u202e", "\uff0e\uff0e", "\u2215", "\u29f5", "\u2028", "\ud800", "x" * 300, "🎈", "ﬁ"]
    ),
    st.text(max_size=6),
)
names = st.lists(pieces, max_size=12).map("".join)


def regular(name: str) -> str | None:
    try:
        return normalise(name)
    except PathInvalid:
        return None


@given(names)
@example("../../etc/passwd")
@example("a/../../b")
def test_a_path_is_relative_and_leads_nowhere_else(name: str) -> None:
    path = regular(name)
    if path is None:
        return
    for way in (PurePosixPath(path), PureWindowsPath(path)):
        assert not way.is_absolute()
        assert not way.drive
        assert ".." not in way.parts
    assert "\\" not in path
    assert all(segment.strip(". ") for segment in path.split("/"))


@given(names)
def test_making_a_path_regular_twice_changes_nothing(name: str) -> None:
    path = regular(name)
    if path is not None:
        assert normalise(path) == path
        assert unicodedata.is_normalized("NFC", path)
        assert normalise_folder(path) == normalise_folder(f"{path}/") == f"{path}/"
        assert all(normalise(one) == one and path.startswith(f"{one}/") for one in ancestors(path))


@given(names)
def test_a_path_is_text_of_a_bounded_length(name: str) -> None:
    path = regular(name)
    if path is not None:
        assert len(path.encode()) <= PATH_MAX_BYTES
        assert all(len(one.encode()) <= PATH_SEGMENT_MAX_BYTES for one in path.split("/"))
        assert not any(unicodedata.category(one) in {"Cc", "Cs"} for one in path)


@given(names, names)
def test_what_is_put_into_a_folder_lies_in_it(prefix: str, name: str) -> None:
    try:
        path = join_path(prefix, name)
    except PathInvalid:
        return
    assert path.startswith(normalise_folder(prefix))
    assert len(path) > len(normalise_folder(prefix))


@pytest.mark.parametrize(
    "name",
    [
        "", "/", "/etc/passwd", "//host/share", "C:/x", "c:x", "C:\\x", "..", "../x", "x/..", "a/../b",
        "a/./b",
        "./a", "a//b", "a/", "a/ /b", "a/...", "a.", "a ", "dir./x", "dir /x", "a\x00b", "a\nb", "a\x7fb",
        "a\u202etxt.exe", "a\u2066b", "a\u2028b", "..\\..\\x", "a\\..\\..\\b",
        "con", "CON.txt", "x/aux", "Lpt1.log",
        "a" * 256, "/".join(["abcdefgh"] * 130), "\ud800", "é" * 128,
    ],
)  # fmt: skip
def test_what_some_system_reads_otherwise_is_refused(name: str) -> None:
    with pytest.raises(PathInvalid):
        normalise(name)


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("docs\\api\\x.md", "docs/api/x.md"),
        ("cafe\u0301.txt", "caf\u00e9.txt"),
        (".gitignore", ".gitignore"),
        ("a/..b/c..d", "a/..b/c..d"),
        ("日本/語.txt", "日本/語.txt"),
        ("%2e%2e/x", "%2e%2e/x"),
        ("12:30.log", "12:30.log"),
        ("console.log", "console.log"),
        ("👩‍💻.md", "👩‍💻.md"),
    ],
)
def test_what_people_call_their_files_is_kept(name: str, path: str) -> None:
    assert normalise(name) == path
