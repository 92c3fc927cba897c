"""What was said, as a lane hears it: its own words as its own, the others' quoted under their names."""

from dataclasses import replace

from tertulia.context import plan_items, prompts
from tertulia.context.domain import PastReply, PastRound, PromptInputs
from tertulia.conversations.domain import ReplyKind
from tertulia.models.calls import Image, PromptMessage
from tertulia.models.prompt_frames import escape_attribute, escape_frame_tags, frame_message


def past_round_messages(
    past: PastRound, inputs: PromptInputs, *, has_vision: bool
) -> tuple[PromptMessage, ...]:
    """Return an earlier round: the question, this lane's reply, and what the others said."""
    said = [without_unseen_pictures(question_message(past, past.images), has_vision=has_vision)]
    others: list[PastReply] = []
    for reply in past.replies:
        if reply.lane == inputs.lane and reply.kind is ReplyKind.ANSWER:
            said.append(PromptMessage("assistant", reply.text))
            said += [PromptMessage("user", reply.own_calls)] if reply.own_calls else []
        else:
            others.append(reply)
    if others:
        said.append(PromptMessage("user", "\n\n".join(map(quote_reply, others))))
    return tuple(said)


def question_message(asked: PastRound, images: tuple[Image, ...]) -> PromptMessage:
    """Return a question as it was asked; where several people write, in a frame with its author's name."""
    text = frame_message(asked.question, author=asked.author) if asked.author else asked.question
    return PromptMessage("user", text, images)


def final_messages(
    inputs: PromptInputs, pictures: tuple[Image, ...] = (), *, has_vision: bool
) -> list[PromptMessage]:
    """Return what comes last: the question, or the work of merging, judging or continuing."""
    said = [
        without_unseen_pictures(
            question_message(inputs.now, inputs.now.images + pictures), has_vision=has_vision
        )
    ]
    if inputs.kind is not ReplyKind.ANSWER:
        replies = "\n\n".join(map(quote_reply, inputs.now.replies))
        said.append(PromptMessage("user", prompts.task(inputs.kind, replies)))
    if inputs.begun or inputs.begun_work:
        asked = "\n\n".join(filter(None, [inputs.begun_work, prompts.continue_request()]))
        said += [PromptMessage("assistant", inputs.begun)] if inputs.begun else []
        said.append(PromptMessage("user", asked))
    return said


def final_message_names(inputs: PromptInputs) -> list[str]:
    """Return what people call each message of the ending."""
    names = ["the question"] if inputs.kind is ReplyKind.ANSWER else ["the question", "the replies to it"]
    return [*names, "the reply that is continued", "the wish to go on"] if inputs.begun else names


def quote_reply(reply: PastReply) -> str:
    """Return a reply in a frame with its speaker's name, which nothing that it says can end.

    Below it stands what it made, so that nobody makes it again.
    """
    speaker = escape_attribute(plan_items.speaker_label(reply))
    framed = f'<reply speaker="{speaker}">\n{escape_frame_tags(reply.text)}\n</reply>'
    return "\n\n".join(filter(None, [framed, reply.others_calls]))


def without_unseen_pictures(message: PromptMessage, *, has_vision: bool) -> PromptMessage:
    """Return a message, for a blind model with a line in place of its pictures: it can say what it misses."""
    if has_vision or not message.images:
        return message
    missing = f"[Pictures are attached here that you cannot see: {len(message.images)}]"
    return replace(message, text=f"{message.text}\n\n{missing}", images=())
