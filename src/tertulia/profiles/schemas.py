"""Profiles on the wire: in groups, with the names that the form has."""

from typing import Annotated

from pydantic import AfterValidator, Field, StrictBool, StringConstraints

from tertulia.core.json_object import JsonObject
from tertulia.infra.http.schema import Schema, SingleLine, Timestamp, ValidUnicode, omit_unset
from tertulia.profiles.domain import (
    FREEFORM_NOTES_MAX_CHARS,
    PROFILE_TEXT_MAX_CHARS,
    SKILL_MAX_CHARS,
    SKILLS_MAX_COUNT,
    UserProfile,
    drop_repeated_names,
)

ProfileText = Annotated[
    str, StringConstraints(strip_whitespace=True, max_length=PROFILE_TEXT_MAX_CHARS), ValidUnicode
]
FreeformNotes = Annotated[
    str, StringConstraints(strip_whitespace=True, max_length=FREEFORM_NOTES_MAX_CHARS), ValidUnicode
]
SkillName = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=SKILL_MAX_CHARS),
    ValidUnicode,
    SingleLine,
]
SkillNames = Annotated[
    list[SkillName], Field(max_length=SKILLS_MAX_COUNT), AfterValidator(drop_repeated_names)
]


class ProfilePreferences(Schema):
    """How a person likes to work."""

    coding_style: ProfileText = ""
    preferred_languages: SkillNames = Field(default_factory=list[str])
    framework_experience: SkillNames = Field(default_factory=list[str])


class ProfileContext(Schema):
    """What a person works on."""

    project_goals: ProfileText = ""
    domain: ProfileText = ""
    constraints: ProfileText = ""


class ProfileChange(Schema):
    """What to change; fields that are left out stay as they are, those of groups too."""

    preferences: ProfilePreferences = ProfilePreferences()
    context: ProfileContext = ProfileContext()
    freeform_notes: FreeformNotes = ""

    def to_columns(self) -> JsonObject:
        """Return what was sent, without its groups."""
        sent = omit_unset(self)
        return sent.pop("preferences", {}) | sent.pop("context", {}) | sent


class UserProfileView(Schema):
    """A profile as its own person sees it, and nobody else."""

    id: str
    preferences: ProfilePreferences
    context: ProfileContext
    freeform_notes: str
    #: None until its person wrote something.
    updated_at: Timestamp | None

    @classmethod
    def of(cls, profile: UserProfile) -> "UserProfileView":
        """Return a profile in its groups."""
        return cls(
            id=profile.id,
            preferences=ProfilePreferences.model_validate(profile),
            context=ProfileContext.model_validate(profile),
            freeform_notes=profile.freeform_notes,
            updated_at=profile.updated_at,
        )


class OwnProfile(Schema):
    """The caller's profile, and whether they agreed to having one: without that there is none."""

    profile: UserProfileView | None
    has_consent: bool


class ConsentChange(Schema):
    """Whether to have a profile; false deletes it."""

    consented: StrictBool


class ConsentView(Schema):
    """Whether the caller agreed to having a profile, and since when."""

    consented: bool
    since: Timestamp | None
