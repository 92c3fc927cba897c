"""When a conversation is summarised and compressed, and how far: decisions, and what they are made from.

Compression moves a watermark: rounds up to it are shown by the points of the
summary alone. Nothing is deleted, so moving it back restores every prompt.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tertulia.context.past import newest_attempts, spoken_lines
from tertulia.conversations import rounds
from tertulia.conversations.domain import Conversation
from tertulia.conversations.rounds import FullRound
from tertulia.infra.db import Tx
from tertulia.memory import store as summaries
from tertulia.memory.domain import Line, Summary
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
#: Rounds that are looked at in one go; the rest of a very long conversation follows.
MOST_ROUNDS = 400
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


def summary_tokens(limit: int) -> int:
    """Return what the points of a summary may take."""
    return int(min(SUMMARY_MOST, max(SUMMARY_LEAST, SUMMARY_SHARE * limit)))


@dataclass(frozen=True, slots=True)
class Story:
    """What is known of a branch: its newest summary, and the rounds that came after."""

    conversation: Conversation
    summary: Summary | None
    #: Rounds that no summary covers yet, oldest first.
    fresh: list[FullRound]
    #: Rounds after the watermark, by number, with about what they take.
    sizes: tuple[tuple[int, int], ...]
    #: The message from which one went on after each round.
    followed: Mapping[str, str | None]
    #: The version that was in force when this was read: another one means that somebody was quicker.
    newest_id: str | None

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
    def assistant_messages(self) -> int:
        """Return how many replies came since the last summary."""
        return sum(len(newest_attempts(full.answers)) for full in self.fresh)


def story_of(tx: Tx, conversation: Conversation) -> Story | None:
    """Return what is known of the branch that is shown; None of an empty conversation."""
    if conversation.head_id is None:
        return None
    summary = summaries.in_force(tx, conversation.id, conversation.head_id)
    path = rounds.path(tx, conversation.id, last=conversation.head_id, limit=MOST_ROUNDS)
    after = [one for one in path if one.number > (summary.watermark if summary else 0)]
    full = rounds.fill(tx, after)
    covered = summary.round_number if summary else 0
    newest = summaries.newest(tx, conversation.id)
    return Story(
        conversation,
        summary,
        [one for one in full if one.round.number > covered],
        tuple((one.round.number, size_of(one)) for one in full),
        {before.round.id: after.question.parent_id for before, after in pairwise(full)},
        newest.id if newest else None,
    )


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
