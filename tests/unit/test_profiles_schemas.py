"""What a profile may hold, and what a partial change of it says."""

from typing import Any

import pytest
from pydantic import ValidationError

from tertulia.profiles.domain import (
    FREEFORM_NOTES_MAX_CHARS,
    PROFILE_TEXT_MAX_CHARS,
    SKILL_MAX_CHARS,
    SKILLS_MAX_COUNT,
)
from tertulia.profiles.schemas import ConsentChange, ProfileChange

TEXTS = {"preferences": ["coding_style"], "context": ["project_goals", "domain", "constraints"]}
TEXT_FIELDS = [(group, name) for group, names in TEXTS.items() for name in names]
SKILL_FIELDS = ["preferred_languages", "framework_experience"]


def test_a_change_has_only_what_was_sent() -> None:
    body = {"preferences": {"coding_style": ""}, "context": {"domain": " harbours "}}
    assert ProfileChange.model_validate(body).to_columns() == {"coding_style": "", "domain": "harbours"}
    assert ProfileChange.model_validate({"freeform_notes": "x"}).to_columns() == {"freeform_notes": "x"}
    assert ProfileChange.model_validate({"context": {}}).to_columns() == {}


@pytest.mark.parametrize(("group", "name"), TEXT_FIELDS)
def test_texts_have_a_longest_length(group: str, name: str) -> None:
    longest = "x" * PROFILE_TEXT_MAX_CHARS
    assert ProfileChange.model_validate({group: {name: longest}}).to_columns() == {name: longest}
    with pytest.raises(ValidationError, match="at most 300 characters"):
        ProfileChange.model_validate({group: {name: f"{longest}x"}})


def test_notes_have_a_longest_length() -> None:
    ProfileChange.model_validate({"freeform_notes": "x" * FREEFORM_NOTES_MAX_CHARS})
    with pytest.raises(ValidationError, match="at most 1500 characters"):
        ProfileChange.model_validate({"freeform_notes": "x" * (FREEFORM_NOTES_MAX_CHARS + 1)})


@pytest.mark.parametrize("name", SKILL_FIELDS)
def test_skills_are_a_short_list_of_short_names(name: str) -> None:
    names = [f"{number:0{SKILL_MAX_CHARS}}" for number in range(SKILLS_MAX_COUNT)]
    assert ProfileChange.model_validate({"preferences": {name: names}}).to_columns() == {name: names}
    for wrong in ([*names, "more"], ["x" * (SKILL_MAX_CHARS + 1)], [""], ["  "], ["a\nb"], "Python", [1]):
        with pytest.raises(ValidationError):
            ProfileChange.model_validate({"preferences": {name: wrong}})


def test_skills_are_named_once() -> None:
    change = ProfileChange.model_validate({"preferences": {"preferred_languages": [" Go ", "go", "Rust"]}})
    assert change.to_columns() == {"preferred_languages": ["Go", "Rust"]}


@pytest.mark.parametrize("text", ["a\x00b", "\ud800"])
def test_text_that_cannot_be_stored_is_refused(text: str) -> None:
    with pytest.raises(ValidationError):
        ProfileChange.model_validate({"freeform_notes": text})


@pytest.mark.parametrize(
    "body",
    [{"user_id": "usr_1"}, {"consented_at": 1}, {"context": {"id": "prf_1"}}, {"preferences": None}],
)
def test_nothing_else_can_be_set(body: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ProfileChange.model_validate(body)


@pytest.mark.parametrize("body", [{}, {"consented": "yes"}, {"consented": 1}, {"consented": None}])
def test_consent_is_said_in_so_many_words(body: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ConsentChange.model_validate(body)
