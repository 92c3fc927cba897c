"""Files that a question names with `#`."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tertulia.context.included_files import find_mentions


@pytest.mark.parametrize(
    ("question", "paths"),
    [
        ("Sum up #docs/api.md", ["docs/api.md"]),
        ("Sum up #docs/api.md, please.", ["docs/api.md,", "docs/api.md"]),
        ('See #"docs/a plan.md", and #b.md', ["docs/a plan.md", "b.md"]),
        ('#"a plan.md"', ["a plan.md"]),
        ('#"c#/notes.md"', ["c#/notes.md"]),
        ('#"a plan.md is not closed', ['"a']),
        ("(#a.csv)", ["a.csv)", "a.csv"]),
        ("(#plan(1)).", ["plan(1)).", "plan(1))", "plan(1)", "plan(1"]),
        ("“#a.csv”, «#b.csv»", ["a.csv”,", "a.csv”", "a.csv", "b.csv»", "b.csv"]),
        ("**#a.csv**", ["a.csv**", "a.csv*", "a.csv"]),
        ("#a.csv,#b.csv", ["a.csv,", "a.csv", "b.csv"]),
        ("https://example.org/#a.csv and b.html#a.csv", []),
        ("# Heading, C#, a#b and ##", []),
        ("#a #a #a", ["a"]),
    ],
)
def test_a_number_sign_names_a_path(question: str, paths: list[str]) -> None:
    assert [path for one in find_mentions(question) for path in one.paths] == paths


@given(st.text(st.characters(exclude_characters='"\r\n'), min_size=1, max_size=40))
def test_what_stands_in_quotes_is_taken_as_it_is(path: str) -> None:
    [mention] = find_mentions(f'Look at #"{path}" now')
    assert mention.paths == (path,)
    assert mention.is_path


@pytest.mark.parametrize("words", ["#12", "#todo.", "#3.5", "see #1/", "#..."])
def test_not_every_number_sign_stands_before_a_path(words: str) -> None:
    assert not any(one.is_path for one in find_mentions(words))


@pytest.mark.parametrize("words", ["#a.md", "#docs/api", "#docs/api.md.", "#Makefile.am,"])
def test_some_can_only_be_paths(words: str) -> None:
    assert [one.is_path for one in find_mentions(words)] == [True]
