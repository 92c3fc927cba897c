"""What must not be lost, and what goes first when there is too much."""

from tertulia.memory.condensation import condense_points
from tertulia.memory.domain import Point, PointKind, SourceMessage
from tertulia.memory.point_tokens import count_points_tokens
from tertulia.memory.required_lines import find_missing_lines, find_required_lines, to_verbatim_points


def point(
    text: str, kind: PointKind = PointKind.TOPIC, *, source: str = "m1", by: str = "user", number: int = 1
) -> Point:
    return Point(kind, text, [source], [number], [by])


def lost(points: list[Point], *lines: SourceMessage) -> list[str]:
    return [kept.text for kept in find_missing_lines(points, lines)]


def test_decisions_figures_and_all_of_a_pinned_message_must_be_kept() -> None:
    lines = [
        SourceMessage("m1", 1, "user", "Hello there. We decided to wait. The port is 8443. Is 9000 free?"),
        SourceMessage("m2", 2, "user", "- remember the milk\n\n- and bread", pinned=True),
    ]
    assert [kept.text for kept in find_required_lines(lines)] == [
        "We decided to wait.",
        "The port is 8443.",
        "- remember the milk",
        "- and bread",
    ]


def test_nothing_but_its_own_words_holds_a_line() -> None:
    line = SourceMessage("m1", 1, "user", "The budget is $1,000 for “V2”.")
    assert lost([point("Budget for v2: 1000 dollars")], line) == [line.text]
    assert lost([point('We said that the budget is $1,000 for "V2", not more')], line) == []


def test_a_point_from_another_message_does_not_count() -> None:
    line = SourceMessage("m1", 1, "user", "The port is 8443.")
    assert lost([point("The port is 8443", source="m9")], line) == [line.text]


def test_a_point_that_another_lane_may_not_see_does_not_count() -> None:
    line = SourceMessage("m1", 1, "user", "The port is 8443.")
    mixed = Point(PointKind.ENTITY, "The port is 8443", ["m1", "m2"], [1, 1], ["user", "ada"])
    assert lost([mixed], line) == [line.text]


def test_a_point_that_only_local_models_may_see_does_not_count() -> None:
    lines = [
        SourceMessage("m1", 1, "user", "The port is 8443."),
        SourceMessage("m2", 2, "user", "Secret.", local_only=True),
    ]
    mixed = Point(PointKind.ENTITY, "The port is 8443", ["m1", "m2"], [1, 2], ["user", "user"])
    assert lost([mixed], *lines) == ["The port is 8443."]


def test_a_pinned_line_stands_by_itself_or_with_later_words() -> None:
    line = SourceMessage("m1", 1, "ada", "Is port 8443 fine?", pinned=True)
    answered = Point(PointKind.KEPT, "Is port 8443 fine? Yes.", ["m1", "m2"], [1, 2], ["ada", "user"])
    revised = Point(
        PointKind.KEPT, "Is port 8443 fine? [later, in round 2: No.]", ["m1", "m2"], [1, 2], ["ada", "user"]
    )
    assert lost([answered], line) == [line.text]
    assert lost([revised], line) == []


def test_what_is_lost_is_kept_word_for_word() -> None:
    line = SourceMessage("m1", 4, "user", "The port is 8443.")
    assert to_verbatim_points(find_missing_lines([], [line])) == [
        point("The port is 8443.", PointKind.KEPT, number=4)
    ]


def test_a_bare_answer_is_kept_with_its_question() -> None:
    lines = [SourceMessage("m1", 4, "user", "Which port is it?"), SourceMessage("m2", 4, "ada", "8443.")]
    [kept] = to_verbatim_points(find_missing_lines([], lines))
    assert (kept.text, kept.sources) == ("Which port is it? 8443.", ["m1", "m2"])
    assert find_missing_lines([kept], lines) == []


def test_points_that_say_the_same_become_one_with_all_sources() -> None:
    points = [
        point("The port is 8443", source="m1", number=1),
        point("For staging the port is 8443.", PointKind.ENTITY, source="m2", number=2),
        point("the port is 8443.", source="m3", number=3),
    ]
    [one] = condense_points(points, max_tokens=500)
    assert (one.text, one.sources, one.rounds) == (
        "For staging the port is 8443.",
        ["m1", "m2", "m3"],
        [1, 2, 3],
    )


def test_a_point_within_two_others_takes_neither_away() -> None:
    points = [point("we use tea and milk"), point("tea is hot, so we use tea"), point("we use tea")]
    assert len(condense_points(points, max_tokens=500)) == 2


def test_what_different_lanes_said_is_not_joined() -> None:
    points = [point("The port is 8443", by="ada"), point("The port is 8443", by="bob")]
    assert len(condense_points(points, max_tokens=500)) == 2


def test_what_is_for_local_models_is_not_joined_with_the_rest() -> None:
    points = [point("The port is 8443", source="m1"), point("The port is 8443", source="m2")]
    assert len(condense_points(points, max_tokens=500, local={"m2"})) == 2
    assert len(condense_points(points, max_tokens=500)) == 1


def test_topics_and_answered_questions_go_before_decisions() -> None:
    points = [
        point("We decided on blue", PointKind.DECISION, number=1),
        point("Who paints the fence?", PointKind.QUESTION, number=2),
        point("Mara paints the fence", PointKind.CREATED, number=3),
        point("Weather was discussed", number=4),
    ]
    texts = [
        one.text for one in condense_points(points, max_tokens=count_points_tokens([points[0], points[2]]))
    ]
    assert texts == ["We decided on blue", "Mara paints the fence"]


def test_of_equal_points_the_newer_stay() -> None:
    points = [point(f"Topic of day {name}", number=n) for n, name in enumerate(("one", "two", "three"))]
    assert [one.text for one in condense_points(points, max_tokens=count_points_tokens(points[1:]))] == [
        "Topic of day two",
        "Topic of day three",
    ]


def test_one_huge_point_does_not_push_out_all_others() -> None:
    points = [
        point("We agreed " + "on this " * 300, PointKind.DECISION),
        point("The port is 8443", PointKind.KEPT),
    ]
    assert [one.text for one in condense_points(points, max_tokens=100)] == ["The port is 8443"]


def test_a_point_within_one_that_cannot_fit_stays() -> None:
    points = [point("The port is 8443 " + "and so on " * 300, PointKind.KEPT), point("The port is 8443")]
    assert [one.text for one in condense_points(points, max_tokens=100)] == ["The port is 8443"]


def test_what_the_person_told_outlives_what_models_said_by_the_way() -> None:
    points = [
        point("Our wifi is called heron", PointKind.ENTITY, number=1),
        point("Remember that the tea is green", number=2),
        point("A study of 1998 found 46%", PointKind.KEPT, by="ada", number=3),
    ]
    assert condense_points(points, max_tokens=count_points_tokens(points[:2])) == points[:2]


def test_kept_lines_of_models_leave_room_for_what_was_spoken_of() -> None:
    kept = [point(f"The year {1900 + n} was fine", PointKind.KEPT, by="ada", number=n) for n in range(40)]
    topics = [point(f"They spoke of {name}", number=50) for name in ("tea", "rain", "bread")]
    fewer = condense_points([*kept, *topics], max_tokens=300)
    assert fewer[-3:] == topics
