"""Which passages are readings of one series, which of them is shown, and what is told of the others."""

from dataclasses import replace

from tertulia.context.domain import RecalledPassage
from tertulia.context.passage_series import SERIES_TOLD_MAX, fold_series
from tertulia.conversations.domain import USER_SPEAKER, Passage
from tertulia.conversations.reversal_notes import ReversalNote

QUESTION = "How did the pump run?"


def said(text: str, number: int, *, author: str = "usr_1") -> RecalledPassage:
    """Return what a person said in a round."""
    passage = Passage(
        number=0,
        kind="message",
        source_id=f"msg_{number}",
        project_id=None,
        conversation_id="cnv_1",
        start_char=0,
        end_char=len(text),
        tokens=1,
        round_number=number,
        speaker=USER_SPEAKER,
    )
    return RecalledPassage(passage, text, author_id=author)


def written(text: str, path: str) -> RecalledPassage:
    """Return what a file says."""
    talk = said(text, 0, author="")
    return replace(talk, passage=replace(talk.passage, kind="file", source_id=path, path=path, speaker=""))


def kept_texts(*found: RecalledPassage) -> list[str]:
    return [passage.text for passage in fold_series(found, question=QUESTION).kept]


def test_what_differs_in_more_than_figures_keeps_its_place() -> None:
    texts = [
        "Day 14: the pump ran fine.",
        "Day 15: the pump did not run fine.",
        "Day 16: the pump ran badly.",
        "Day 17: the pump ran fine with Anna.",
    ]
    assert kept_texts(*(said(text, number) for number, text in enumerate(texts))) == texts


def test_two_people_have_a_series_each() -> None:
    found = [said("My room is number 12.", 1), said("My room is number 19.", 2, author="usr_2")]
    assert kept_texts(*found) == ["My room is number 12.", "My room is number 19."]


def test_what_was_taken_back_stands_for_itself() -> None:
    note = ReversalNote("in round 3", "Actually the fee is 55 euros.", "usr_1")
    revised = replace(said("The fee is 40 euros.", 1), reversals=(note,))
    assert len(kept_texts(said("The fee is 55 euros.", 3), revised)) == 2


def test_a_table_of_figures_is_not_told_in_short() -> None:
    rows = ["\n".join(f"reading {first + row} litres" for row in range(9)) for first in (100, 200)]
    assert kept_texts(*(said(text, number) for number, text in enumerate(rows))) == rows


def test_another_file_that_says_the_same_stands_behind_what_says_something_else() -> None:
    found = [
        written("Room 12 seats 40 people.", "12.md"),
        written("Room 14 seats 25 people.", "14.md"),
        written("Rooms are let by the hour.", "rent.md"),
    ]
    assert kept_texts(*found) == [
        "Room 12 seats 40 people.",
        "Rooms are let by the hour.",
        "Room 14 seats 25 people.",
    ]


def test_of_a_very_long_series_the_newest_are_told_and_the_rest_is_counted() -> None:
    found = [said(f"Day {number}: the pump ran fine.", number) for number in range(1, 31)]
    folded = fold_series(found, question=QUESTION)
    [shown] = folded.kept
    assert shown.text == "Day 30: the pump ran fine."
    assert shown.alike.count("round ") == SERIES_TOLD_MAX
    assert shown.alike.endswith(f"round 29: 29; and {29 - SERIES_TOLD_MAX} more]")
    assert len(folded.folded) == 29


def test_what_is_told_of_local_messages_is_for_local_models() -> None:
    local = replace(said("Day 12: the pump ran fine.", 1), local_only=True)
    [shown] = fold_series([said("Day 13: the pump ran fine.", 2), local], question=QUESTION).kept
    assert shown.local_only
