"""Where on a branch a question is asked, and the rounds and the summary before it."""

from collections.abc import Sequence
from dataclasses import dataclass

from tertulia.context.prompt_depth import depth_for
from tertulia.context.prompt_settings import find_project, resolve_prompt_settings
from tertulia.conversations import rounds
from tertulia.conversations.domain import Conversation, Origin, Round
from tertulia.conversations.full_rounds import FullRound
from tertulia.conversations.message_visibility import Branch
from tertulia.infra.db import Tx
from tertulia.memory import summaries
from tertulia.memory.domain import Summary
from tertulia.models.domain import Tier
from tertulia.projects.domain import Project

#: A program chooses by itself how much it sends; only the budget limits it.
PROGRAM_ROUNDS_MAX = 1_000


@dataclass(frozen=True, slots=True)
class BranchPosition:
    """Where a question is asked, and what is known there."""

    conversation: Conversation | None
    project: Project | None
    #: The rounds before the question, oldest first, and the message that each was followed from.
    before: list[FullRound]
    followed: list[str | None]
    number: int
    summary: Summary | None = None
    #: The message from which one went on after the last round of the summary.
    after_summary: str | None = None
    #: The last round that there is so far: the one asked in, or the one before.
    last: str | None = None
    #: It is asked in a temporary conversation, or would begin one.
    is_temporary: bool = False

    @property
    def for_program(self) -> bool:
        """Tell whether a program asks."""
        return self.conversation is not None and self.conversation.origin is Origin.API

    @property
    def branch(self) -> Branch | None:
        """Return the branch that the question belongs to."""
        return Branch(self.conversation.id, self.last) if self.conversation else None


def read_position(
    tx: Tx, conversation: Conversation, *, last: str, tier: Tier, asked: bool
) -> BranchPosition:
    """Return where a question stands that is asked in the round `last`, or after it."""
    project = find_project(tx, conversation.project_id)
    summary = summaries.find_current_summary(tx, conversation.id, last)
    most = PROGRAM_ROUNDS_MAX
    if conversation.origin is not Origin.API:
        depth = depth_for(tier, resolve_prompt_settings(conversation, project), can_read=False)
        most = depth.rounds + depth.rounds_dropped_at_once
    path = rounds.list_branch_rounds(tx, conversation.id, last_round_id=last, limit=most + 1)
    hidden = summary.watermark if summary else 0
    full = rounds.fill_rounds(tx, [round_ for round_ in path if round_.number > hidden or round_.id == last])
    followed = [full_round.question.parent_id for full_round in full[1:]] + [None]
    number = full[-1].round.number + (0 if asked else 1) if full else 1
    after = find_continued_from(tx, summary, path) if summary else None
    return BranchPosition(
        conversation, project, full, followed, number, summary, after, last, conversation.is_temporary
    )


def find_continued_from(tx: Tx, summary: Summary, path: Sequence[Round]) -> str | None:
    """Return the message from which a branch went on after the last round that a summary covers."""
    wanted = summary.round_number + 1
    if not path or path[-1].number < wanted:
        return None
    if path[0].number > wanted:
        limit = path[-1].number - summary.round_number
        path = rounds.list_branch_rounds(tx, summary.conversation_id, last_round_id=path[-1].id, limit=limit)
    after = next((round_ for round_ in path if round_.number == wanted), None)
    return rounds.get_question_without_texts(tx, after.id).parent_id if after else None
