"""Preferences change in many words: the old one is replaced, and what can hold beside the new one stays."""

import pytest

from tertulia.memories.statement_rules import find_statements
from tertulia.memories.subjects import lookup_words, replaces

CHANGED = [
    ("I love sushi.", "I used to love sushi, now I avoid raw fish."),
    ("I like Marvel movies.", "I used to like Marvel movies."),
    ("I drink coffee every morning.", "I've switched to tea."),
    ("I use Windows at home.", "I've switched to Linux."),
    ("I take the bus.", "I've switched to cycling."),
    ("I love horror films.", "I can't watch horror films any more."),
    ("I enjoy video games.", "I stopped playing video games."),
    ("I play tennis on Saturdays.", "I gave up tennis."),
    ("I'm dating Robin.", "Robin and I split up."),
    ("I'm subscribed to Netflix.", "I cancelled Netflix."),
    ("I'm a vegetarian.", "I started eating meat again."),
    ("I like my coffee black.", "I take my coffee with milk now."),
    ("I read mostly fantasy.", "These days I read mostly non-fiction."),
    ("I write Python mostly.", "I mostly write Rust now."),
    ("I'm allergic to cats.", "Turns out I'm not allergic to cats."),
    ("Use tabs for indentation.", "Use spaces for indentation instead of tabs."),
]
BOTH_HOLD = [
    ("I drink coffee.", "I've switched to oat milk."),
    ("I use Vim.", "I've switched to Firefox."),
    ("I love coffee.", "I've switched to tea."),
    ("I don't work on Fridays.", "I work on Mondays."),
    ("My mother loves camping.", "I used to love camping."),
    ("I used to smoke.", "I used to drink."),
    ("I like my eggs scrambled.", "I like my steak rare."),
    ("I love Paris.", "I no longer live in Paris."),
    ("I stopped playing tennis.", "I play the piano."),
]


@pytest.mark.parametrize(("old", "new"), CHANGED)
def test_a_changed_preference_is_replaced(old: str, new: str) -> None:
    assert replaces(new, old)
    assert lookup_words(new) & lookup_words(old)


@pytest.mark.parametrize(("old", "new"), BOTH_HOLD)
def test_what_can_hold_beside_it_stays(old: str, new: str) -> None:
    assert not replaces(new, old)


@pytest.mark.parametrize(
    "said",
    [
        "I used to love sushi, but now I avoid raw fish.",
        "I started eating meat again.",
        "I just started at Ericsson.",
        "I can't watch horror films any more.",
        "I use Vim.",
        "I take my coffee with milk now.",
        "I got engaged.",
        "I've gone off coffee.",
    ],
)
def test_a_change_is_found_in_a_message(said: str) -> None:
    assert [found.content for found in find_statements(f"{said} What do you advise?")] == [said]


@pytest.mark.parametrize(
    "said",
    [
        "I can't open the file any more.",
        "I can't run the tests any more.",
        "I used to get an error here.",
        "I use Python 3.11 in this script.",
        "I just started reading the docs.",
        "I stopped the container.",
    ],
)
def test_what_changes_in_the_work_at_hand_is_not(said: str) -> None:
    assert find_statements(f"{said} What do you advise?") == []
