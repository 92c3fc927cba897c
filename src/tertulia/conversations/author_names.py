"""What people are called who wrote something, where several of them are told of."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from tertulia.accounts import users
from tertulia.accounts.domain import PersonHere
from tertulia.conversations.domain import USER_SPEAKER
from tertulia.infra.db import Tx
from tertulia.models.prompt_frames import escape_attribute

#: What somebody is called whose account was deleted.
FORMER_MEMBER_NAME = "former member"


@dataclass(frozen=True, slots=True)
class AuthorNames:
    """Names of people by their ids; nobody is named where there is only one."""

    #: Those who write in a conversation.
    here: dict[str, str] = field(default_factory=dict)
    #: They and the others who are quoted there.
    quoted: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, people: Sequence[PersonHere], here: Collection[str]) -> "AuthorNames":
        """Name people, of whom some write here; one alone is whom a model speaks with."""
        names = name_people(people)
        if len(here) > 1:
            return cls({id_: name for id_, name in names.items() if id_ in here}, names)
        marked = {id_: f"{name} ({USER_SPEAKER})" for id_, name in names.items() if id_ in here}
        return cls({}, names | marked)


def find_author_names(tx: Tx, here: Sequence[str], quoted: Iterable[str]) -> AuthorNames:
    """Return what the people are called who write in a conversation, and those who are quoted there."""
    ids = list_people_told_of(here, quoted)
    if len(ids) < 2:
        return AuthorNames()
    people = {person.id: person for person in users.list_people(tx, ids)}
    return AuthorNames.of([people[id_] for id_ in ids if id_ in people], here)


def list_people_told_of(here: Sequence[str], quoted: Iterable[str]) -> list[str]:
    """Return the people who write in a conversation, in their order, and then the others."""
    return list(dict.fromkeys([*here, *sorted(filter(None, quoted))]))


def name_people(people: Sequence[PersonHere]) -> dict[str, str]:
    """Return a name for each of several people, no two of them the same; for one alone none is needed."""
    if len(people) < 2:
        return {}
    names: dict[str, str] = {}
    for person in people:
        name = escape_attribute(person.name) or FORMER_MEMBER_NAME
        taken = {other.casefold() for other in names.values()}
        numbered = (name, *(f"{name} ({number})" for number in range(2, len(people) + 2)))
        names[person.id] = next(option for option in numbered if option.casefold() not in taken)
    return names
