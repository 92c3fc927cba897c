"""Files among passages: a floor, and otherwise the order in which they were found."""

import pytest

from tertulia.context.domain import RecalledPassage
from tertulia.context.fair_order import order_fairly
from tertulia.conversations.domain import Passage


def recalled(name: str) -> RecalledPassage:
    """Return a passage of talk, or for a name in small letters of a file."""
    is_file = name.islower()
    kind = "file" if is_file else "message"
    path = f"{name}.md" if is_file else ""
    passage = Passage(
        number=0, kind=kind, source_id=name, project_id=None, start_char=0, end_char=1, tokens=1, path=path
    )
    return RecalledPassage(passage, name)


@pytest.mark.parametrize(
    ("found", "ordered"),
    [
        ("ABCDEabcd", "AaBbCcDEd"),
        ("abcdA", "abcdA"),
        ("AaBbCcDEd", "AaBbCcDEd"),
        ("ABC", "ABC"),
        ("abAcBC", "abAcBC"),
        ("ABCDa", "AaBCD"),
    ],
)
def test_every_second_slot_is_a_files_until_files_have_had_three(found: str, ordered: str) -> None:
    assert "".join(passage.text for passage in order_fairly(map(recalled, found))) == ordered
