"""When a conversation is summarised and compressed, and how far: decisions, and what they are made from.

Compression moves a watermark: rounds up to it are shown by the points of the
summary alone. Nothing is deleted, so moving it back restores every prompt.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import takewhile

from tertulia.context.past import newest_attempts, spoken_lines
from tertulia.conversations import rounds
from tertulia.conversations.access import get_round
from tertulia.conversations.domain import USER, Conversation, Policy, ReplyStatus, Round
from tertulia.conversations.rounds import FullRound
from tertulia.core.clock import now
from tertulia.infra.db import Tx
from tertulia.memory import store as summaries
from tertulia.memory.domain import Line, Point, Summary
from tertulia.models.tokens import count

#: Older rounds are summarised once the conversation fills this share of its limit.
THRESHOLD = 0.8
#: So much of the limit the rounds may take that stay word for word, and so much of what other things leave.
KEPT_SHARE = 0.4
KEPT_OF_REST = 0.5
FEWEST_KEPT = 2
#: What the points of a summary may take: a share of the limit, within reason.
SUMMARY_SHARE = 0.2
SUMMARY_LEAST, SUMMARY_MOST = 300, 2_500
#: After somebody undid a compression, so many rounds pass before the next one comes by itself.
ROUNDS_AFTER_UNDOING = 5
#: Rounds that are looked at in one go, the oldest first; the rest of a very long conversation follows.
MOST_ROUNDS = 400
#: So long it may take at most from the end of a reply until it is stored.
UNTIL_STORED = timedelta(minutes=2)
#: What surrounds a message.
AROUND = 8


@dataclass(frozen=True, slots=True)
class Load:
    """How full a conversation is."""

    #: The most tokens that a prompt of its models may have.
    limit: int
    #: Tokens that the next prompt takes, and those of them that are not earlier rounds.
    used: int
    fixed: int
    #: The rounds that are not compressed, by number, and what each takes word for word.
    rounds: tuple[tuple[int, int], ...]

    @property
    def whole(self) -> int:
        """Return what a prompt with all of it would have: the next one shows only the latest rounds."""
        return max(self.used, self.fixed + sum(tokens for _, tokens in self.rounds))

    @property
    def is_due(self) -> bool:
        """Tell whether it is time to compress."""
        return self.whole >= THRESHOLD * self.limit and self.watermark() > 0

    def watermark(self) -> int:
        """Return up to which round it would be compressed; 0 when there is nothing to compress."""
        room = min(KEPT_SHARE * self.limit, KEPT_OF_REST * max(0, self.limit - self.fixed))
        for kept, (number, tokens) in enumerate(reversed(self.rounds)):
            room -= tokens
            if room < 0 and kept >= FEWEST_KEPT:
                return number
        return 0


@dataclass(frozen=True, slots=True)
class Numbered:
    """A round and its number."""

    id: str
    number: int


def summary_tokens(limit: int) -> int:
    """Return what the points of a summary may take."""
    return int(min(SUMMARY_MOST, max(SUMMARY_LEAST, SUMMARY_SHARE * limit)))


@dataclass(frozen=True, slots=True)
class Story:
    """What is known of a branch: its newest summary, and what has been said that is not in it."""

    conversation: Conversation
    summary: Summary | None
    #: Rounds that no summary covers yet and that are complete, oldest first.
    fresh: list[FullRound]
    #: Rounds that the summary covers, and of which it does not know all: more was said in them since.
    renewed: list[FullRound]
    #: Whether there are more rounds after the fresh ones than can be looked at in one go.
    more: bool
    #: All rounds that were looked at, oldest first.
    told: list[FullRound]
    #: Rounds after the watermark, by number, with about what they take.
    sizes: tuple[tuple[int, int], ...]
    #: The message from which one went on after each round.
    followed: Mapping[str, str | None]
    #: The version that was in force when this was read: another one means that somebody was quicker.
    newest_id: str | None
    #: What was said after this moment is not known here.
    read_at: datetime

    @property
    def covered(self) -> int:
        """Return the number of the last round that is summarised."""
        return self.summary.round_number if self.summary else 0

    @property
    def watermark(self) -> int:
        """Return up to which round only points are shown."""
        return self.summary.watermark if self.summary else 0

    @property
    def last(self) -> int:
        """Return the number of its last round."""
        return self.sizes[-1][0] if self.sizes else self.covered

    @property
    def reach(self) -> int:
        """Return up to which round a summary could go now: not beyond one that is being answered."""
        return self.last if self.more else self.fresh[-1].round.number if self.fresh else self.covered

    @property
    def assistant_messages(self) -> int:
        """Return how many replies came since the last summary."""
        return sum(len(newest_attempts(full.answers)) for full in self.fresh)

    @property
    def but_last(self) -> "Story":
        """Return it with its last round left for the next time: that may still be edited or branched from."""
        if not self.fresh or self.fresh[-1].round.id != self.conversation.head_id:
            return self
        return replace(self, fresh=self.fresh[:-1])

    @property
    def points(self) -> list[Point]:
        """Return the points that stay: those of rounds in which more was said are made anew."""
        anew = {one.round.number for one in self.renewed}
        return [one for one in self.summary.points if not anew.issuperset(one.rounds)] if self.summary else []


def story_of(tx: Tx, conversation: Conversation, *, again: str = "") -> Story | None:
    """Return what is known of the branch that is shown; None of an empty conversation.

    The round `again` counts as one in which more was said since it was summarised.
    """
    if conversation.head_id is None:
        return None
    read_at = known_until(tx, conversation)
    summary = summaries.in_force(tx, conversation.id, conversation.head_id)
    newest = summaries.newest(tx, conversation.id)
    changed = changed_since(tx, summary, again) if summary else {}
    path = path_to(tx, conversation.head_id, summary, changed)
    renewed = [one for one in path if one.id in changed]
    fresh = [one for one in path if summary is None or one.number > summary.round_number]
    latest = [one for one in path[-MOST_ROUNDS:] if summary is None or one.number > summary.watermark]
    full = filled(tx, path, {one.id for one in (*renewed, *fresh[:MOST_ROUNDS], *latest)})
    return Story(
        conversation,
        summary,
        list(takewhile(is_complete, (full[one.id] for one in fresh[:MOST_ROUNDS]))),
        [full[one.id] for one in renewed],
        len(fresh) > MOST_ROUNDS,
        list(full.values()),
        tuple((one.number, size_of(full[one.id])) for one in latest),
        {one.round.parent_id: one.question.parent_id for one in full.values() if one.round.parent_id},
        newest.id if newest else None,
        read_at,
    )


def known_until(tx: Tx, conversation: Conversation) -> datetime:
    """Return the moment up to which all messages are known: a reply bears the date at which it was ended."""
    sql = """SELECT 1 FROM replies WHERE conversation_id = :id AND workspace_id = :workspace
        AND status IN ('queued', 'running') LIMIT 1"""
    under_way = tx.value(sql, id=conversation.id) is not None
    return now() - UNTIL_STORED if under_way else now()


def changed_since(tx: Tx, summary: Summary, again: str) -> dict[str, int]:
    """Return the rounds up to that of a summary in which a model spoke since, with their numbers."""
    changed = tx.all(
        Numbered,
        """SELECT DISTINCT r.id, r.number FROM messages AS m JOIN rounds AS r ON r.id = m.round_id
           WHERE m.conversation_id = :conversation AND m.workspace_id = :workspace AND r.number <= :covered
           AND (r.id = :again OR (m.created_at >= :moment AND m.speaker <> :user AND m.content <> ''))""",
        conversation=summary.conversation_id,
        covered=summary.round_number,
        again=again,
        moment=summary.created_at,
        user=USER,
    )
    return {one.id: one.number for one in changed}


def path_to(tx: Tx, head: str, summary: Summary | None, changed: Mapping[str, int]) -> list[Round]:
    """Return the rounds that lead to the one that is shown, as far back as there is something to do."""
    last = get_round(tx, head)
    first = min([summary.round_number + 1 if summary else 1, *changed.values()])
    limit = max(MOST_ROUNDS, last.number - first + 1)
    return rounds.path(tx, last.conversation_id, last=head, limit=limit)


def filled(tx: Tx, path: Sequence[Round], wanted: Collection[str]) -> dict[str, FullRound]:
    """Return rounds with all that was said in them, and those after them: they say what one went on from."""
    needed = [one for one in path if one.id in wanted or one.parent_id in wanted]
    return {one.round.id: one for one in rounds.fill(tx, needed)}


def is_complete(full: FullRound) -> bool:
    """Tell whether nobody is answering in a round; one who waits for a person may do so for a day."""
    return not any(one.reply.status in (ReplyStatus.QUEUED, ReplyStatus.RUNNING) for one in full.answers)


def size_of(full: FullRound) -> int:
    """Return about how many tokens a round takes."""
    texts = [
        full.question.content,
        *(one.message.content for one in newest_attempts(full.answers) if one.message),
    ]
    return sum(count(text, "") + AROUND for text in texts)


def lines_of(rounds_: Sequence[FullRound], story: Story) -> list[Line]:
    """Return what was said in rounds, message by message, without what a person left out."""
    return [line for one in rounds_ for line in spoken_lines(one, story.followed.get(one.round.id))]


def kept_here(lines: Sequence[Line], told: Sequence[FullRound], elsewhere: Collection[str]) -> list[Line]:
    """Return lines with those marked as local that no model elsewhere was shown: a person kept them here.

    Who sits at the table of a round is shown what was said before it; under `own`, only to itself.
    """
    by_reply = {one.reply.id: one.reply.model for full in told for one in full.answers}
    asked = [one for one in told if any(by.reply.model in elsewhere for by in one.answers)]
    last_asked = max((one.round.number for one in asked), default=0)
    heard = [one.round.number for one in asked if one.round.policy is not Policy.OWN]

    def was_shown(line: Line) -> bool:
        if line.speaker == USER:
            return line.round_number <= last_asked
        return by_reply.get(line.id) in elsewhere or line.round_number <= max(heard, default=0)

    return [line if was_shown(line) else replace(line, local_only=True) for line in lines]


def was_just_undone(tx: Tx, story: Story) -> bool:
    """Tell whether somebody undid a compression here a few rounds ago, and would not like to do it again."""
    head = story.conversation.head_id or ""
    undone = summaries.last_undone(tx, story.conversation.id, head)
    if undone is None or undone.undone_at is None:
        return False
    if story.watermark and story.summary and story.summary.created_at > undone.undone_at:
        return False
    latest = rounds.path(tx, story.conversation.id, last=head, limit=ROUNDS_AFTER_UNDOING)
    return sum(one.created_at > undone.undone_at for one in latest) < ROUNDS_AFTER_UNDOING
