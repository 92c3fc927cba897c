"""When a conversation is summarised and compressed, and how far: decisions, and what they are made from.

Compression moves a watermark: rounds up to it are shown by the points of the
summary alone. Nothing is deleted, so moving it back restores every prompt.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import takewhile

from tertulia.context.past_rounds import newest_attempts, round_lines
from tertulia.conversations import round_lookup, rounds
from tertulia.conversations.access import get_round
from tertulia.conversations.domain import USER_SPEAKER, Conversation, Policy, ReplyStatus, Round
from tertulia.conversations.full_rounds import FullRound
from tertulia.core.clock import now
from tertulia.core.ids import ulid_of
from tertulia.infra.db import Tx
from tertulia.memory import summaries
from tertulia.memory.domain import Point, SourceMessage, Summary
from tertulia.models.tokens import count

#: Older rounds are summarised once the conversation fills this share of its limit.
COMPRESSION_THRESHOLD_SHARE = 0.8
#: So much of the limit the rounds may take that stay word for word, and so much of what other things leave.
VERBATIM_ROUNDS_SHARE = 0.4
VERBATIM_ROUNDS_SHARE_OF_REST = 0.5
VERBATIM_ROUNDS_MIN = 2
#: Points that take more than this share of the limit fill free room, and give way to rounds.
FIXED_POINTS_MAX_SHARE = 0.2
#: After somebody undid a compression, so many rounds pass before the next one comes by itself.
COMPRESSION_PAUSE_ROUNDS = 5
#: Rounds that are looked at in one go, the oldest first; the rest of a very long conversation follows.
SUMMARISED_ROUNDS_PER_PASS = 400
#: So long it may take at most from the end of a reply until it is stored.
REPLY_STORE_DELAY_MAX = timedelta(minutes=2)
#: What surrounds a message.
MESSAGE_OVERHEAD_TOKENS = 8


@dataclass(frozen=True, slots=True)
class ContextLoad:
    """How full a conversation is."""

    #: The most tokens that a prompt of its models may have.
    limit: int
    #: Tokens that the next prompt takes, and those of them that do not give way to earlier rounds.
    used: int
    fixed: int
    #: The rounds that are not compressed, by number, and what each takes word for word.
    rounds: tuple[tuple[int, int], ...]

    @property
    def total_tokens(self) -> int:
        """Return what a prompt with all of it would have: the next one shows only the latest rounds."""
        return max(self.used, self.tokens_with_all_rounds)

    @property
    def tokens_with_all_rounds(self) -> int:
        """Return what all rounds would take, with what does not give way to them."""
        return self.fixed + sum(tokens for _, tokens in self.rounds)

    @property
    def is_compression_due(self) -> bool:
        """Tell whether it is time to compress."""
        is_full = self.tokens_with_all_rounds >= COMPRESSION_THRESHOLD_SHARE * self.limit
        return is_full and self.next_watermark() > 0

    def next_watermark(self) -> int:
        """Return up to which round it would be compressed; 0 when there is nothing to compress."""
        room = min(
            VERBATIM_ROUNDS_SHARE * self.limit,
            VERBATIM_ROUNDS_SHARE_OF_REST * max(0, self.limit - self.fixed),
        )
        for kept, (number, tokens) in enumerate(reversed(self.rounds)):
            room -= tokens
            if room < 0 and kept >= VERBATIM_ROUNDS_MIN:
                return number
        return 0


@dataclass(frozen=True, slots=True)
class BranchHistory:
    """What is known of a branch: its newest summary, and what has been said that is not in it."""

    conversation: Conversation
    summary: Summary | None
    #: Rounds that no summary covers yet and that are complete, oldest first.
    unsummarised: list[FullRound]
    #: Rounds that the summary covers, and of which it does not know all: more was said in them since.
    changed: list[FullRound]
    #: Whether there are more rounds after the fresh ones than can be looked at in one go.
    has_more: bool
    #: All rounds that were looked at, oldest first.
    rounds: list[FullRound]
    #: Rounds after the watermark, by number, with about what they take.
    round_tokens: tuple[tuple[int, int], ...]
    #: The message from which one went on after each round.
    continued_from: Mapping[str, str | None]
    #: The version that was in force when this was read: another one means that somebody was quicker.
    newest_summary_id: str | None
    #: What was said after this moment is not known here.
    read_at: datetime

    @property
    def last_summarised(self) -> int:
        """Return the number of the last round that is summarised."""
        return self.summary.round_number if self.summary else 0

    @property
    def watermark(self) -> int:
        """Return up to which round only points are shown."""
        return self.summary.watermark if self.summary else 0

    @property
    def last_round(self) -> int:
        """Return the number of its last round."""
        return self.round_tokens[-1][0] if self.round_tokens else self.last_summarised

    @property
    def summarisable_until(self) -> int:
        """Return up to which round a summary could go now: not beyond one that is being answered."""
        return (
            self.last_round
            if self.has_more
            else self.unsummarised[-1].round.number
            if self.unsummarised
            else self.last_summarised
        )

    @property
    def assistant_messages(self) -> int:
        """Return how many replies came since the last summary."""
        return sum(len(newest_attempts(full.answers)) for full in self.unsummarised)

    @property
    def without_last_round(self) -> "BranchHistory":
        """Return it with its last round left for the next time: that may still be edited or branched from."""
        if not self.unsummarised or self.unsummarised[-1].round.id != self.conversation.head_id:
            return self
        return replace(self, unsummarised=self.unsummarised[:-1])

    @property
    def kept_points(self) -> list[Point]:
        """Return the points that stay: those of rounds in which more was said are made anew."""
        anew = {full_round.round.number for full_round in self.changed}
        return (
            [point for point in self.summary.points if not anew.issuperset(point.rounds)]
            if self.summary
            else []
        )


def read_branch_history(
    tx: Tx, conversation: Conversation, *, changed_round_id: str = ""
) -> BranchHistory | None:
    """Return what is known of the branch that is shown; None of an empty conversation.

    The round `changed_round_id` counts as one in which more was said since it was summarised.
    """
    if conversation.head_id is None:
        return None
    read_at = complete_until(tx, conversation)
    summary = summaries.find_current_summary(tx, conversation.id, conversation.head_id)
    newest = summaries.find_newest_summary(tx, conversation.id)
    changed = rounds_changed_since(tx, summary, changed_round_id) if summary else {}
    path = branch_path(tx, conversation.head_id, summary, changed)
    renewed = [round_ for round_ in path if round_.id in changed]
    fresh = [round_ for round_ in path if summary is None or round_.number > summary.round_number]
    latest = [
        round_
        for round_ in path[-SUMMARISED_ROUNDS_PER_PASS:]
        if summary is None or round_.number > summary.watermark
    ]
    full = load_full_rounds(
        tx, path, {round_.id for round_ in (*renewed, *fresh[:SUMMARISED_ROUNDS_PER_PASS], *latest)}
    )
    return BranchHistory(
        conversation,
        summary,
        list(takewhile(is_complete, (full[round_.id] for round_ in fresh[:SUMMARISED_ROUNDS_PER_PASS]))),
        [full[round_.id] for round_ in renewed],
        len(fresh) > SUMMARISED_ROUNDS_PER_PASS,
        list(full.values()),
        tuple((round_.number, estimate_round_tokens(full[round_.id])) for round_ in latest),
        {
            full_round.round.parent_id: full_round.question.parent_id
            for full_round in full.values()
            if full_round.round.parent_id
        },
        newest.id if newest else None,
        read_at,
    )


def complete_until(tx: Tx, conversation: Conversation) -> datetime:
    """Return the moment up to which all messages are known: a reply bears the date at which it was ended."""
    return now() - REPLY_STORE_DELAY_MAX if round_lookup.has_reply_under_way(tx, conversation.id) else now()


def rounds_changed_since(tx: Tx, summary: Summary, changed_round_id: str) -> dict[str, int]:
    """Return the rounds up to that of a summary in which a model spoke since, with their numbers."""
    return round_lookup.find_rounds_answered_since(
        tx, summary.conversation_id, summary.created_at, up_to=summary.round_number, also=changed_round_id
    )


def branch_path(tx: Tx, head: str, summary: Summary | None, changed: Mapping[str, int]) -> list[Round]:
    """Return the rounds that lead to the one that is shown, as far back as there is something to do."""
    last = get_round(tx, head)
    first = min([summary.round_number + 1 if summary else 1, *changed.values()])
    limit = max(SUMMARISED_ROUNDS_PER_PASS, last.number - first + 1)
    return rounds.list_branch_rounds(tx, last.conversation_id, last_round_id=head, limit=limit)


def load_full_rounds(tx: Tx, path: Sequence[Round], wanted: Collection[str]) -> dict[str, FullRound]:
    """Return rounds with all that was said in them, and those after them: they say what one went on from."""
    needed = [round_ for round_ in path if round_.id in wanted or round_.parent_id in wanted]
    return {full_round.round.id: full_round for full_round in rounds.fill_rounds(tx, needed)}


def is_complete(full: FullRound) -> bool:
    """Tell whether nobody is answering in a round; one who waits for a person may do so for a day."""
    return not any(
        answer.reply.status in (ReplyStatus.QUEUED, ReplyStatus.RUNNING) for answer in full.answers
    )


def estimate_round_tokens(full: FullRound) -> int:
    """Return about how many tokens a round takes."""
    texts = [
        full.question.content,
        *(
            newest_attempt.message.content
            for newest_attempt in newest_attempts(full.answers)
            if newest_attempt.message
        ),
    ]
    return sum(count(text, "") + MESSAGE_OVERHEAD_TOKENS for text in texts)


def transcript_lines(rounds_: Sequence[FullRound], history: BranchHistory) -> list[SourceMessage]:
    """Return what was said in rounds, message by message, without what a person left out."""
    return [
        line
        for full_round in rounds_
        for line in round_lines(full_round, history.continued_from.get(full_round.round.id))
    ]


def mark_unshared_local(
    lines: Sequence[SourceMessage], rounds_: Sequence[FullRound], remote_models: Collection[str]
) -> list[SourceMessage]:
    """Return lines with those marked as local that no model elsewhere was shown: a person kept them here.

    Who sits at the table of a round is shown what was said before it; under `own`, only to itself.
    """
    by_reply = {answer.reply.id: answer.reply.model for full in rounds_ for answer in full.answers}
    asked = [
        full_round
        for full_round in rounds_
        if any(by.reply.model in remote_models for by in full_round.answers)
    ]
    last_asked = max((full_round.round.number for full_round in asked), default=0)
    heard = [full_round.round.number for full_round in asked if full_round.round.policy is not Policy.OWN]

    def was_shown(line: SourceMessage) -> bool:
        if line.speaker == USER_SPEAKER:
            return line.round_number <= last_asked
        return by_reply.get(line.id) in remote_models or line.round_number <= max(heard, default=0)

    return [line if was_shown(line) else replace(line, local_only=True) for line in lines]


def was_recently_undone(tx: Tx, history: BranchHistory) -> bool:
    """Tell whether somebody undid a compression here a few rounds ago, and would not like to do it again."""
    head = history.conversation.head_id or ""
    undone = summaries.find_last_undone(tx, history.conversation.id, head)
    if undone is None:
        return False
    if history.watermark and history.summary and ulid_of(history.summary.id) > undone.undo_sort_key:
        return False
    latest = rounds.list_branch_rounds(
        tx, history.conversation.id, last_round_id=head, limit=COMPRESSION_PAUSE_ROUNDS
    )
    return sum(ulid_of(round_.id) > undone.undo_sort_key for round_ in latest) < COMPRESSION_PAUSE_ROUNDS
