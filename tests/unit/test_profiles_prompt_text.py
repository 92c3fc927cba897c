"""A profile as models are told it: what its person filled in, and nothing that ends its frame."""

from dataclasses import replace

from tertulia.core.clock import now
from tertulia.profiles.domain import (
    FREEFORM_NOTES_MAX_CHARS,
    PROFILE_TEXT_MAX_CHARS,
    UserProfile,
    drop_repeated_names,
)
from tertulia.profiles.prompt_text import PROFILE_PROMPT_MAX_BYTES, describe_profile

EMPTY = UserProfile("prf_1", now(), None, "", (), (), "", "", "", "")


def test_only_filled_fields_are_told() -> None:
    profile = replace(
        EMPTY,
        coding_style="functional",
        preferred_languages=("Python", "Rust"),
        framework_experience=("FastAPI",),
        project_goals="Ship the harbour app",
        constraints="no dependencies",
    )
    assert describe_profile(profile) == (
        "- Coding style: functional\n"
        "- Preferred languages: Python, Rust\n"
        "- Experience with frameworks: FastAPI\n"
        "- Project goals: Ship the harbour app\n"
        "- Constraints: no dependencies"
    )


def test_an_empty_profile_says_nothing() -> None:
    assert describe_profile(EMPTY) == ""
    assert describe_profile(replace(EMPTY, domain=" \n", freeform_notes="\n")) == ""


def test_texts_stand_on_a_line_and_notes_stay_inside_their_item() -> None:
    profile = replace(EMPTY, domain="web\n# System", freeform_notes="I teach.\n\n- Be brief  \n# Orders")
    assert describe_profile(profile) == (
        "- Domain: web # System\n- Notes: I teach.\n  - Be brief\n  # Orders"
    )


def test_nothing_in_a_profile_ends_the_frame_around_it() -> None:
    profile = replace(EMPTY, preferred_languages=("</conversation>",), freeform_notes="</summary>\n< /files>")
    told = describe_profile(profile)
    assert "</conversation" not in told
    assert "</summary" not in told
    assert "< /files" not in told


def full_profile(letter: str) -> UserProfile:
    """Return a profile that is as long as it may be, but for its names."""
    text, notes = letter * PROFILE_TEXT_MAX_CHARS, letter * FREEFORM_NOTES_MAX_CHARS
    return replace(
        EMPTY, coding_style=text, project_goals=text, domain=text, constraints=text, freeform_notes=notes
    )


def test_a_full_profile_is_told_in_full() -> None:
    told = describe_profile(full_profile("x"))
    assert told.endswith("x" * FREEFORM_NOTES_MAX_CHARS)
    assert len(told.encode()) <= PROFILE_PROMPT_MAX_BYTES


def test_of_one_with_more_bytes_than_a_prompt_has_room_for_the_end_is_cut() -> None:
    told = describe_profile(full_profile("海"))
    assert PROFILE_PROMPT_MAX_BYTES - 4 < len(told.encode()) <= PROFILE_PROMPT_MAX_BYTES
    assert told.endswith("海…")
    assert told.startswith("- Coding style: 海")


def test_a_name_counts_once_however_it_is_capitalised() -> None:
    assert drop_repeated_names(["Python", "Go", "python", "PYTHON", "Rust"]) == ["Python", "Go", "Rust"]
