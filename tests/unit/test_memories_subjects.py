"""A new statement takes the place of an old one where both cannot hold at once, and nowhere else."""

import pytest
from evals.memories.labelled_sets import read_pairs
from evals.memories.numbered_facts import build_facts, replay_facts

from tertulia.memories.subjects import LOOKUP_WORDS_MAX, lookup_words, replaces


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The capital of Norway is Oslo.", "The capital of Norway is Bergen."),
        ("7. The author of What Is Left is Ann Bell.", "93. The author of What Is Left is Jo Hart."),
        ("I love spicy food", "I can't stand spicy food any more"),
        ("My favourite editor is Vim", "I switched from Vim to Emacs"),
        ("I live in Berlin.", "I moved from Berlin to Lyon."),
        ("I smoke.", "I quit smoking."),
        ("My daughter's birthday is 4 May.", "Actually my daughter's birthday is 5 May, not 4 May."),
        ("Our launch is on 4 May.", "The launch has been pushed to 20 June."),
        ("Mara is our accountant.", "Jens is our accountant now."),
        ("Please answer in German.", "Please always answer in British English."),
        ("Ich wohne in Berlin.", "Ich bin nach Leipzig gezogen."),
    ],
)
def test_another_value_of_the_same_takes_its_place(old: str, new: str) -> None:
    assert replaces(new, old)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I have a dog named Rex", "I have a cat named Tom"),
        ("Ann likes tea", "Ann likes coffee"),
        ("We use PostgreSQL for orders", "We use Redis for sessions"),
        ("Mara is our accountant", "Mara is from Porto"),
        ("My office is in Berlin", "My home is in Lyon"),
        ("The capital of Norway is Oslo.", "The capital of Sweden is Oslo."),
        ("The capital of Velmara is Aster.", "The capital of New Velmara is Brisk."),
        ("Apex Club was founded in the city of Turin.", "Apex Club was founded by Ugo Rossi."),
        ("I moved from Berlin to Lyon.", "My office is in Berlin."),
        ("I quit smoking.", "My father smokes."),
        ("Is the capital of Norway Oslo?", "The capital of Norway is Bergen."),
    ],
)
def test_what_may_hold_at_once_stays(old: str, new: str) -> None:
    assert not replaces(new, old)


def test_saying_the_same_again_replaces_nothing() -> None:
    assert not replaces("The capital of Norway is Oslo", "The capital of Norway is Oslo.")
    assert not replaces("I live in Hamburg.", "I live in Hamburg with my partner.")


@pytest.mark.parametrize("half", ["tune", "heldout", "fresh"])
def test_labelled_pairs_are_told_apart(half: str) -> None:
    pairs = read_pairs(half)
    false = [pair for pair in pairs if not pair.replaces and replaces(pair.new, pair.old)]
    missed = [pair for pair in pairs if pair.replaces and not replaces(pair.new, pair.old)]
    assert len(false) <= 0.01 * len(pairs), false
    assert len(missed) <= 0.03 * len(pairs), missed


def test_of_numbered_facts_the_newest_are_shown_and_stale_ones_are_not() -> None:
    outcome = replay_facts(build_facts(seed=17))
    assert outcome.newest_shown >= 0.97 * outcome.newest, outcome.examples
    assert outcome.stale_shown <= 0.02 * outcome.stale, outcome.examples


def test_names_can_be_looked_up() -> None:
    assert {"vim"} <= lookup_words("My favourite editor is Vim.")
    assert {"moor"} <= lookup_words("The author of Red Sand is Ilse Moor.")


@pytest.mark.parametrize(
    "text", ["my " * 300_000, "we have decided " * 60_000, "a@" * 500_000, "Ab " * 300_000]
)
def test_a_hostile_statement_is_read_no_further_than_its_beginning(text: str) -> None:
    assert len(lookup_words(text)) <= LOOKUP_WORDS_MAX
    assert not replaces(text, "I live in Berlin.")


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("Shelf 4 holds paper.", "Shelf 3 holds paper."),
        ("Our invoice 113 is paid.", "Our invoice 112 is paid."),
    ],
)
def test_a_number_that_tells_things_apart_is_no_new_value(new: str, old: str) -> None:
    assert not replaces(new, old)
