"""Summarising without a model: how talk is cut into sentences, what counts, and what is taken."""

import pytest

from tertulia.conversations.sentences import SentenceKind, split_text_sentences
from tertulia.memory.cues import is_creation, is_decision, is_preference, is_question
from tertulia.memory.domain import PointKind, SourceMessage
from tertulia.memory.extractive_summary import extract_points
from tertulia.memory.figures import find_figures
from tertulia.memory.message_sentences import SENTENCE_MAX_TOKENS
from tertulia.models.tokens import count

TALK = [
    SourceMessage(
        "m1",
        1,
        "user",
        "Hi! I'm planning the launch of Heron. We decided to ship on 14 May 2026. Which channel?",
    ),
    SourceMessage(
        "m2", 1, "gpt", "Great question! For a launch like Heron a newsletter is the best channel."
    ),
    SourceMessage("m3", 2, "user", "Please never use exclamation marks. Who owns the Zephyr account?"),
    SourceMessage("m4", 2, "gpt", "I don't know who owns it. Could you tell me more?"),
    SourceMessage("m5", 3, "user", "The staging server is db-7.example.com. Thanks!"),
    SourceMessage("m6", 3, "gpt", "I've created the file `deploy/launch.yml`. Let me know if you need more."),
]


def texts(said: str) -> list[str]:
    return [one.text for one in split_text_sentences(said)]


def kinds(lines: list[SourceMessage], most_tokens: int = 500) -> dict[str, PointKind]:
    return {point.text: point.kind for point in extract_points(lines, max_tokens=most_tokens)}


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Ask Dr. Smith, e.g. on Monday. Then go.", ["Ask Dr. Smith, e.g. on Monday.", "Then go."]),
        ("It costs 3.50 euros. Fine.", ["It costs 3.50 euros.", "Fine."]),
        ("Use `a. B` here. Then go.", ["Use `a. B` here.", "Then go."]),
        ("- first point\n- second point", ["first point", "second point"]),
        ("1. Dig\n2. Plant", ["Dig", "Plant"]),
        ("Do this: 1. Dig it. 2. Plant it.", ["Do this: 1. Dig it.", "2. Plant it."]),
        ("The fee rose: 72. What now?", ["The fee rose: 72.", "What now?"]),
        ("# Plan\nWe dig.", ["Plan", "We dig."]),
        ("> quoted words\n> and more", ["quoted words", "and more"]),
        ("| a | b |\n|---|---|\n| 1 | 2 |", ["| a | b |", "| 1 | 2 |"]),
        ("决定使用端口。五月部署！", ["决定使用端口。", "五月部署！"]),
        ("port: 8443\nhost: heron", ["port: 8443", "host: heron"]),
        ("", []),
    ],
)
def test_talk_is_cut_into_sentences_rows_and_items(said: str, expected: list[str]) -> None:
    assert texts(said) == expected


def test_a_sentence_that_was_wrapped_is_put_together() -> None:
    first = "This sentence is so long that whoever wrote it had to go on to the"
    assert texts(f"{first}\nnext row. Then another.") == [f"{first} next row.", "Then another."]


def test_code_is_never_taken_for_sentences() -> None:
    cut = split_text_sentences("Look:\n```python\nx = 1. Then\n\ny = 2\n```\nDone.")
    assert [(one.text, one.kind) for one in cut] == [
        ("Look:", SentenceKind.PROSE),
        ("x = 1. Then", SentenceKind.CODE),
        ("y = 2", SentenceKind.CODE),
        ("Done.", SentenceKind.PROSE),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It costs $1,000.", {"1000"}),
        ("It costs 1000 dollars", {"1000"}),
        ("Version V2.1, port 8443", {"v2.1", "8443"}),
        ("45% of 10GB", {"45", "10"}),
        ("on May 12th, at 14:30", {"may", "12", "14:30"}),
        ("12 May", {"may", "12"}),
        ("invoice INV-2041", {"inv-2041"}),
        ("set TERTULIA_EMBEDDER", {"tertulia_embedder"}),
        ("ask dora@example.com", {"dora@example.com"}),
        ("see (https://example.com/a?b=1).", {"https://example.com/a?b=1"}),
        ("端口8443已开", {"8443"}),
        ("we may see a market", set()),
    ],
)
def test_figures_are_found_and_brought_to_one_form(text: str, expected: set[str]) -> None:
    assert set(find_figures(text)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "We decided to use Postgres.",
        "Let’s go with the blue one.",
        "We'll use port 80.",
        "Wir haben uns für Rust entschieden.",
        "Hemos decidido esperar.",
        "On a décidé de partir.",
        "我们决定使用它",
    ],
)
def test_a_person_decides_in_several_languages(text: str) -> None:
    assert is_decision(text, by_user=True)


def test_a_model_that_says_let_us_decides_nothing() -> None:
    assert not is_decision("Let's go with an example first.", by_user=False)
    assert is_decision("We agreed on Tuesdays.", by_user=False)
    assert not is_decision("Have we decided on Tuesdays?", by_user=True)


def test_preferences_are_the_persons_alone() -> None:
    assert is_preference("I prefer tabs.", by_user=True)
    assert not is_preference("I prefer tabs.", by_user=False)
    assert is_creation("Here is the updated config file.")
    assert is_question("Is it done?)")


def test_each_point_is_told_by_what_it_is() -> None:
    found = kinds(TALK)
    assert found["We decided to ship on 14 May 2026."] is PointKind.DECISION
    assert found["Please never use exclamation marks."] is PointKind.PREFERENCE
    assert found["The staging server is db-7.example.com."] is PointKind.ENTITY
    assert found["I've created the file `deploy/launch.yml`."] is PointKind.CREATED
    assert found["Who owns the Zephyr account?"] is PointKind.QUESTION


def test_a_question_that_was_answered_is_not_open() -> None:
    assert kinds(TALK).get("Which channel?") is not PointKind.QUESTION


def test_a_question_that_is_answered_later_is_not_open() -> None:
    later = SourceMessage("m7", 4, "gpt", "Mara owns the Zephyr account.")
    assert kinds([*TALK, later]).get("Who owns the Zephyr account?") is not PointKind.QUESTION


def test_pleasantries_are_left_out_even_where_there_is_room() -> None:
    found = kinds(TALK, most_tokens=5_000)
    assert not {"Hi!", "Thanks!", "Great question!", "Let me know if you need more."} & found.keys()


def test_little_room_goes_to_what_was_decided() -> None:
    assert set(kinds(TALK, most_tokens=20)) == {"We decided to ship on 14 May 2026."}
    assert kinds(TALK, most_tokens=0) == {}


def test_a_sentence_that_leans_on_the_one_before_comes_with_it() -> None:
    lines = [SourceMessage("m1", 1, "user", "The gateway listens behind the proxy. It uses port 8443.")]
    assert kinds(lines, 30).keys() == {"The gateway listens behind the proxy. It uses port 8443."}


@pytest.mark.parametrize("reply", ["8443.", "It uses 8443.", "That's 8443, for now."])
def test_a_bare_answer_comes_with_its_question(reply: str) -> None:
    lines = [
        SourceMessage("m1", 1, "user", "Hi there. Which port does staging use?"),
        SourceMessage("m2", 1, "ada", reply),
    ]
    point = next(one for one in extract_points(lines, max_tokens=200) if "8443" in one.text)
    assert point.text == f"Which port does staging use? {reply}"
    assert (point.sources, point.speakers) == (["m1", "m2"], ["user", "ada"])


def test_an_answer_of_the_person_comes_with_the_question_of_the_reply() -> None:
    lines = [
        SourceMessage("m1", 1, "user", "We need beds in Kuopio."),
        SourceMessage("m2", 1, "ada", "There are two. Shall it be the Scandic or the Puijo?"),
        SourceMessage("m3", 2, "user", "The Puijo, 2 rooms. And now to the boats."),
    ]
    point = next(one for one in extract_points(lines, max_tokens=200) if "2 rooms" in one.text)
    assert point.text == "Shall it be the Scandic or the Puijo? The Puijo, 2 rooms."
    assert (point.sources, point.speakers) == (["m2", "m3"], ["ada", "user"])


def test_it_does_not_where_several_replies_asked() -> None:
    lines = [
        SourceMessage("m1", 1, "ada", "Shall it be the Scandic?"),
        SourceMessage("m2", 1, "bob", "Shall it be the Puijo?"),
        SourceMessage("m3", 2, "user", "Yes, for 2 nights."),
    ]
    assert ["m3"] in [point.sources for point in extract_points(lines, max_tokens=200)]


def test_an_answer_does_not_take_a_question_along_that_others_may_not_see() -> None:
    lines = [
        SourceMessage("m1", 1, "user", "Which port?", local_only=True),
        SourceMessage("m2", 1, "ada", "It is 8443."),
    ]
    assert ["m2"] in [point.sources for point in extract_points(lines, max_tokens=200)]


def test_what_was_said_twice_is_taken_once() -> None:
    lines = [SourceMessage(f"m{n}", n, "user", "The staging port is 8443.") for n in range(5)]
    assert len(extract_points(lines, max_tokens=500)) == 1


def test_the_same_figure_from_another_lane_is_its_own_point() -> None:
    lines = [
        SourceMessage("m1", 1, "ada", "The port is 8443."),
        SourceMessage("m2", 1, "bob", "The port is 8443."),
    ]
    assert [point.speakers for point in extract_points(lines, max_tokens=500)] == [["ada"], ["bob"]]


def test_only_a_sentence_that_is_too_long_is_cut_and_at_a_word() -> None:
    words = " ".join(f"word{n}" for n in range(100))
    [point] = extract_points([SourceMessage("m1", 1, "user", f"{words}.")], max_tokens=500)
    assert point.text.endswith("…")
    assert words.startswith(point.text.removesuffix("…"))
    assert words[len(point.text) - 1] == " "
    assert count(point.text, "") <= SENTENCE_MAX_TOKENS


def test_other_scripts_are_cut_between_characters() -> None:
    [point] = extract_points(
        [SourceMessage("m1", 1, "user", "端口是8443" + "在服务器上运行" * 60)], max_tokens=500
    )
    assert point.text.startswith("端口是8443")
    assert point.text.endswith("…")


@pytest.mark.parametrize(
    "junk", ["." * 60_000, "a" * 60_000, "A-" * 30_000, "`" * 9_999, "1" * 9_999, "| " * 20_000]
)
def test_junk_takes_no_time(junk: str) -> None:
    extract_points([SourceMessage("m1", 1, "user", junk)], max_tokens=200)
