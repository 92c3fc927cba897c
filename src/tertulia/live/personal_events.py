"""What a person hears in their feed of what is theirs alone: that it has changed, never what it says."""

import msgspec


class ProfileChanged(msgspec.Struct, frozen=True, tag="profile.changed"):
    """The person's own profile was written, or they agreed to having one or no longer do: fetch it."""


class MemoriesChanged(msgspec.Struct, frozen=True, tag="memories.changed"):
    """Memories were proposed, approved, changed or deleted: fetch them."""

    #: Proposals that wait for whoever hears this; None where it concerns a project's memories.
    waiting: int | None = None


class CalendarsChanged(msgspec.Struct, frozen=True, tag="calendars.changed"):
    """The person's own calendars or events are new, changed or gone: fetch them."""
