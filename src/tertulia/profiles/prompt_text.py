"""A profile as models are told it."""

from collections.abc import Iterator

from tertulia.core.truncation import ELLIPSIS
from tertulia.infra.db import Tx
from tertulia.models.prompt_frames import escape_frame_tags
from tertulia.profiles.access import find_own_profile
from tertulia.profiles.domain import UserProfile

NOTES_INDENT = "  "
#: About 560 tokens of English, and 760 of Chinese: a full profile fits beside memories.
PROFILE_PROMPT_MAX_BYTES = 3_000


def read_profile_for_prompt(tx: Tx) -> UserProfile | None:
    """Return the caller's own profile; None without their consent, and where it says nothing."""
    profile = find_own_profile(tx)
    return profile if profile and describe_profile(profile) else None


def describe_profile(profile: UserProfile) -> str:
    """Return what a profile says as a list in Markdown; nothing in it ends the frame that it stands in.

    Where it is too long its end is cut off: that of the notes, which come last.
    """
    told = "\n".join(f"- {label}: {escape_frame_tags(text)}" for label, text in filled_fields(profile))
    return truncate_bytes(told, PROFILE_PROMPT_MAX_BYTES)


def filled_fields(profile: UserProfile) -> Iterator[tuple[str, str]]:
    """Yield the label and the text of each field that says something."""
    fields = {
        "Coding style": to_one_line(profile.coding_style),
        "Preferred languages": ", ".join(profile.preferred_languages),
        "Experience with frameworks": ", ".join(profile.framework_experience),
        "Project goals": to_one_line(profile.project_goals),
        "Domain": to_one_line(profile.domain),
        "Constraints": to_one_line(profile.constraints),
        "Notes": indent_lines(profile.freeform_notes),
    }
    yield from ((label, text) for label, text in fields.items() if text)


def to_one_line(text: str) -> str:
    """Return a text on one line."""
    return " ".join(text.split())


def indent_lines(text: str) -> str:
    """Return a text of which all lines belong to the item of a list that it begins in."""
    return f"\n{NOTES_INDENT}".join(filter(None, map(str.rstrip, text.strip().splitlines())))


def truncate_bytes(text: str, max_bytes: int) -> str:
    """Return a text, or as much of its beginning as has so many bytes with an ellipsis."""
    encoded = text.encode()
    if len(encoded) <= max_bytes:
        return text
    start = encoded[: max_bytes - len(ELLIPSIS.encode())].decode(errors="ignore")
    return start.rstrip() + ELLIPSIS
