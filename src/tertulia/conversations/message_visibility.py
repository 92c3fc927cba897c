"""What still counts of what was said: on the branch that is shown, not left out, not passed over.

People find and open all of it. To models only what counts is quoted.
"""

from collections.abc import Collection
from dataclasses import dataclass

from tertulia.conversations import marks
from tertulia.conversations.domain import USER_SPEAKER, Mark
from tertulia.infra.db import Tx, bound_list


@dataclass(frozen=True, slots=True)
class Branch:
    """A branch of a conversation, by the round that it leads to; with none it has no rounds yet."""

    conversation_id: str
    last_round_id: str | None


@dataclass(frozen=True, slots=True)
class MessageLocation:
    """A message, and the question of its round: itself, where it is one."""

    id: str
    round_id: str
    speaker: str
    question_id: str


@dataclass(frozen=True, slots=True)
class ContinuedReply:
    """A reply that someone went on from, the round it was said in, and the one that follows."""

    reply_id: str
    round_id: str
    next_id: str


def find_hidden_messages(
    tx: Tx, message_ids: Collection[str], *, branch: Branch | None = None
) -> frozenset[str]:
    """Return the messages that count no more, whether they were left out or passed over."""
    locations = locate_messages(tx, message_ids)
    return find_excluded(tx, locations) | find_superseded(tx, locations, branch=branch)


def find_excluded(tx: Tx, locations: Collection[MessageLocation]) -> frozenset[str]:
    """Return the messages that a person left out; a question takes the replies to it along."""
    if not locations:
        return frozenset()
    marked = marks.find_marks(
        tx,
        list(
            {
                id_
                for message_location in locations
                for id_ in (message_location.id, message_location.question_id)
            }
        ),
    )
    gone = {id_ for id_, own in marked.items() if Mark.EXCLUDED in own}
    return frozenset(
        location.id for location in locations if not gone.isdisjoint((location.id, location.question_id))
    )


def include_replies(tx: Tx, message_ids: Collection[str]) -> frozenset[str]:
    """Return messages and the replies to those that are questions."""
    if not message_ids:
        return frozenset()
    sql = f"""SELECT m.id FROM messages AS q JOIN messages AS m ON m.round_id = q.round_id
        WHERE q.workspace_id = :workspace AND q.speaker = 'user' AND q.id IN {bound_list("ids")}"""
    return frozenset(message_ids).union(tx.column(sql, ids=list(message_ids)))


def messages_of_items(tx: Tx, items: Collection[str]) -> frozenset[str]:
    """Return the messages among items of a receipt, and all that was said in the rounds among them."""
    named = [id_.partition(":") for id_ in items]
    messages = [id_ for kind, _, id_ in named if kind == "message"]
    rounds = [id_ for kind, _, id_ in named if kind == "round"]
    if not rounds:
        return frozenset(messages)
    sql = f"SELECT id FROM messages WHERE workspace_id = :workspace AND round_id IN {bound_list('rounds')}"
    return frozenset(messages).union(tx.column(sql, rounds=rounds))


def find_superseded_messages(
    tx: Tx, message_ids: Collection[str], *, branch: Branch | None = None
) -> frozenset[str]:
    """Return the messages that are on another branch, were written anew, or were not chosen to go on from.

    In the conversation at hand `branch` counts, in others the one that is shown.
    """
    return find_superseded(tx, locate_messages(tx, message_ids), branch=branch)


def find_superseded(
    tx: Tx, locations: Collection[MessageLocation], *, branch: Branch | None = None
) -> frozenset[str]:
    """Return which of the messages at these places `find_superseded_messages` means."""
    if not locations:
        return frozenset()
    asked = {location.round_id for location in locations}
    chosen = find_continued_replies(tx, asked)
    rounds = filter_rounds_on_branch(
        tx, asked | {continued_reply.next_id for continued_reply in chosen}, branch=branch
    )
    went_on = {
        continued_reply.round_id: continued_reply.reply_id
        for continued_reply in chosen
        if continued_reply.next_id in rounds
    }
    anew = find_regenerated_replies(tx, [location.id for location in locations])

    def counts(location: MessageLocation) -> bool:
        if location.round_id not in rounds or location.speaker == USER_SPEAKER:
            return location.round_id in rounds
        return (
            went_on[location.round_id] == location.id
            if location.round_id in went_on
            else location.id not in anew
        )

    return frozenset(message_location.id for message_location in locations if not counts(message_location))


def locate_messages(tx: Tx, message_ids: Collection[str]) -> list[MessageLocation]:
    """Return where messages were said."""
    return tx.all(
        MessageLocation,
        f"""SELECT m.id, m.round_id, m.speaker, q.id AS question_id FROM messages AS m
            JOIN messages AS q ON q.round_id = m.round_id AND q.speaker = 'user'
            WHERE m.workspace_id = :workspace AND m.id IN {bound_list("ids")}""",
        ids=list(message_ids),
    )


def find_continued_replies(tx: Tx, round_ids: Collection[str]) -> list[ContinuedReply]:
    """Return the replies to rounds that someone went on from, on whichever branch."""
    return tx.all(
        ContinuedReply,
        f"""SELECT o.id AS reply_id, o.round_id, c.id AS next_id FROM rounds AS c
            JOIN messages AS q ON q.round_id = c.id AND q.speaker = 'user'
            JOIN replies AS o ON o.id = q.parent_id
            WHERE c.workspace_id = :workspace AND c.parent_id IN {bound_list("ids")}""",
        ids=list(round_ids),
    )


def filter_rounds_on_branch(
    tx: Tx, round_ids: Collection[str], *, branch: Branch | None = None
) -> frozenset[str]:
    """Return those rounds that are on the branch `here`, or in other conversations on the one that is shown.

    The only round of its number is on every branch that is as long. Just where there are several, one
    walks back to them, from the next such round or from the end: a prompt waits for this.
    """
    sql = f"""WITH RECURSIVE
        wanted AS (
          SELECT r.id, r.conversation_id, r.number, EXISTS (
            SELECT 1 FROM rounds AS o
            WHERE o.conversation_id = r.conversation_id AND o.number = r.number AND o.id <> r.id) AS forked
          FROM rounds AS r WHERE r.workspace_id = :workspace AND r.id IN {bound_list("ids")}),
        ends AS (
          SELECT e.id, e.number, e.conversation_id FROM conversations AS c
          JOIN rounds AS e ON e.id = CASE WHEN c.id = :here THEN :last ELSE c.head_id END
          WHERE c.workspace_id = :workspace AND c.id IN (SELECT conversation_id FROM wanted)),
        reached AS (
          SELECT w.id, w.number, w.forked, e.id AS last, (
            SELECT min(o.id) FROM rounds AS o
            WHERE w.forked AND o.conversation_id = w.conversation_id
              AND o.number > w.number AND o.number <= e.number
            GROUP BY o.number HAVING count(*) = 1 ORDER BY o.number LIMIT 1) AS narrow
          FROM wanted AS w JOIN ends AS e ON e.conversation_id = w.conversation_id
          WHERE w.number <= e.number),
        path (id, parent_id, number, first) AS (
          SELECT r.id, r.parent_id, r.number, w.number FROM reached AS w
          JOIN rounds AS r ON r.id = CASE WHEN w.narrow IS NULL THEN w.last ELSE w.narrow END
          WHERE w.forked
          UNION
          SELECT r.id, r.parent_id, r.number, p.first FROM path AS p
          JOIN rounds AS r ON r.id = p.parent_id WHERE p.number > p.first)
        SELECT id FROM reached WHERE NOT forked OR id IN (SELECT id FROM path)"""
    branch_values = (
        {"here": branch.conversation_id, "last": branch.last_round_id}
        if branch
        else {"here": None, "last": None}
    )
    return frozenset(tx.column(sql, ids=list(round_ids), **branch_values))


def find_regenerated_replies(tx: Tx, reply_ids: Collection[str]) -> frozenset[str]:
    """Return the replies whose lane has spoken once more since."""
    sql = f"""SELECT r.id FROM replies AS r WHERE r.workspace_id = :workspace AND r.id IN {bound_list("ids")}
        AND EXISTS (SELECT 1 FROM replies AS n JOIN messages AS m ON m.id = n.id AND m.content <> ''
          WHERE n.round_id = r.round_id AND n.lane = r.lane AND n.kind = r.kind AND n.id > r.id)"""
    return frozenset(tx.column(sql, ids=list(reply_ids)))
