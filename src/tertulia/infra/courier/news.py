"""What processes tell each other: one closed union."""

import msgspec


class StoredEvents(msgspec.Struct, frozen=True, tag="events", array_like=True):
    """New events of one topic: the number of the newest, and the bodies of all unless they are too long."""

    topic: str
    last_seq: int
    bodies: tuple[str, ...] = ()


class EventsStored(msgspec.Struct, frozen=True, tag="events_stored"):
    """One transaction stored events of these topics."""

    topics: tuple[StoredEvents, ...]


class TopicEnded(msgspec.Struct, frozen=True, tag="topic_ended"):
    """A topic was deleted or suspended; whoever listens to one that was deleted hears `farewell` last."""

    topic: str
    last_seq: int
    farewell: str | None


class JobsQueued(msgspec.Struct, frozen=True, tag="jobs_queued"):
    """There is work in the table of jobs."""


class StopRequested(msgspec.Struct, frozen=True, tag="stop_requested"):
    """Somebody wants these replies stopped, whoever writes them."""

    reply_ids: tuple[str, ...]


News = EventsStored | TopicEnded | JobsQueued | StopRequested


class NewsMayBeLost(msgspec.Struct, frozen=True):
    """News of other processes may not have arrived here: whoever must not miss any looks by themselves."""


#: What a courier tells the process it is in, and sends to no other.
LocalNews = NewsMayBeLost
