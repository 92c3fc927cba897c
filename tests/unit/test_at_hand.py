"""Files that a question names with `#`."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tertulia.context.at_hand import named_in


@pytest.mark.parametrize(
    ("question", "paths"),
    [
        ("Sum up #docs/api.md", ["docs/api.md"]),
        ("Sum up #docs/api.md, please.", ["docs/api.md,", "docs/api.md"]),
        ('See #"docs/a plan.md", and #b.md', ["docs/a plan.md", "b.md"]),
        ('#"a plan.md"', ["a plan.md"]),
        ('#"c#/notes.md"', ["c#/notes.md"]),
        ('#"a plan.md is not closed', ['"a']),
        ("# Heading, C#, a#b and ##", []),
        ("#a #a #a", ["a"]),
    ],
)
def test_a_number_sign_names_a_path(question: str, paths: list[str]) -> None:
    assert named_in(question) == paths


@given(st.text(st.characters(exclude_characters='"\r\n'), min_size=1, max_size=40))
def test_what_stands_in_quotes_is_taken_as_it_is(path: str) -> None:
    assert named_in(f'Look at #"{path}" now') == [path]
