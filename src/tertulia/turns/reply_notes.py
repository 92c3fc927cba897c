"""What people tell models at work is kept, at whatever moment they say it."""

from dataclasses import replace

from tertulia.conversations import rounds
from tertulia.conversations.domain import Reply
from tertulia.infra.db import Tx


def with_all_notes(tx: Tx, reply: Reply) -> Reply:
    """Return a reply with every note to it, those too that came since it was last looked at.

    Its passages are as they are stored: headings of a file that was deleted since are gone from them.
    """
    stored = rounds.find_reply(tx, reply.id)
    if stored is None:
        return reply
    taken = {note.id for note in reply.notes if note.taken}
    notes = [replace(note, taken=note.taken or note.id in taken) for note in stored.notes]
    return replace(reply, notes=notes, passages=stored.passages)
