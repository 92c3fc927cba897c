"""Reading where and when a question is asked, and who writes there."""

from collections.abc import Iterable

from tertulia.accounts import users
from tertulia.context.anchor_facts import read_anchor_facts
from tertulia.context.domain import ConversationFacts, ProjectFacts, TitleFacts
from tertulia.conversations import rounds
from tertulia.conversations.author_names import AuthorNames, list_people_told_of
from tertulia.conversations.domain import USER_SPEAKER, Conversation, TitleBy
from tertulia.core.clock import now
from tertulia.core.time_zones import day_in_zone, known_time_zone
from tertulia.infra.db import Tx
from tertulia.projects.domain import Project


def read_facts(
    tx: Tx,
    conversation: Conversation | None,
    project: Project | None,
    *,
    author_id: str,
    quoted: Iterable[str] = (),
) -> tuple[ConversationFacts, AuthorNames]:
    """Return where and when somebody asks, and what each author is called where they are several.

    `quoted` are the people whose words are quoted there, from whichever conversation.
    """
    author_ids = list_author_ids(tx, conversation, author_id)
    told_of = list_people_told_of(author_ids, quoted)
    people = {person.id: person for person in users.list_people(tx, told_of)}
    zone = known_time_zone(people[author_id].time_zone if author_id in people else None)
    names = AuthorNames.of([people[id_] for id_ in told_of if id_ in people], author_ids)
    facts = ConversationFacts(
        project=ProjectFacts(project.name, project.id, project.status) if project else None,
        anchor=read_anchor_facts(tx, conversation, zone=zone) if conversation else None,
        title=read_title(tx, conversation) if conversation else TitleFacts(),
        today=day_in_zone(now(), zone),
        time_zone=zone,
        people=tuple(names.here.values()),
    )
    return facts, names


def list_author_ids(tx: Tx, conversation: Conversation | None, author_id: str) -> list[str]:
    """Return who has written in a conversation, in the order they came, and who is about to."""
    written = rounds.list_author_ids(tx, conversation.id) if conversation else []
    return list(dict.fromkeys([*written, author_id]))


def read_title(tx: Tx, conversation: Conversation) -> TitleFacts:
    """Return the title of a conversation with all messages that it may be made of.

    Its first question gave it one, or a model read that and a reply to it: nobody knows which.
    """
    if not conversation.title or conversation.title_by == TitleBy.PERSON:
        return TitleFacts(conversation.title or "")
    said = rounds.list_first_messages(tx, conversation.id)
    made_of = (
        [line for line in said if line.lane is None] if conversation.title_by == TitleBy.QUESTION else said
    )
    if not made_of:
        return TitleFacts()
    return TitleFacts(
        conversation.title,
        tuple(line.id for line in made_of),
        tuple(line.lane or USER_SPEAKER for line in made_of),
    )
