"""What a profile is."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

#: Of each text but the notes. All together are told with every question, beside what is remembered.
PROFILE_TEXT_MAX_CHARS = 300
FREEFORM_NOTES_MAX_CHARS = 1_500
#: Languages, and frameworks.
SKILLS_MAX_COUNT = 20
SKILL_MAX_CHARS = 40


@dataclass(frozen=True, slots=True)
class UserProfile:
    """What a person tells models of themselves in one workspace; there is none without their consent."""

    id: str
    consented_at: datetime
    #: None until its person wrote something.
    updated_at: datetime | None
    coding_style: str
    preferred_languages: tuple[str, ...]
    framework_experience: tuple[str, ...]
    project_goals: str
    domain: str
    constraints: str
    freeform_notes: str


def drop_repeated_names(names: Iterable[str]) -> list[str]:
    """Return names in their order, each once however it is capitalised."""
    first_spellings: dict[str, str] = {}
    for name in names:
        first_spellings.setdefault(name.casefold(), name)
    return list(first_spellings.values())
