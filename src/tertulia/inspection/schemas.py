"""Plans, receipts and the meter on the wire."""

from typing import Annotated

from pydantic import Field

from tertulia.context.compression import COMPRESSION_THRESHOLD_SHARE
from tertulia.context.prompt_plan import (
    LEFT_OUT_EXPLANATIONS,
    Item,
    LeftOut,
    PlanStep,
    PromptPlan,
    Section,
    SectionKind,
    WhyNot,
)
from tertulia.context.receipts import Receipt
from tertulia.conversations.domain import Policy, Reply, ReplyProblem, ReplyStatus
from tertulia.conversations.round_writer import HEAD_PARENT
from tertulia.conversations.views import UsageView
from tertulia.core.image_header import ImageSize, png_header
from tertulia.core.view import view_as
from tertulia.infra.http.schema import AnyCaseId, LongText, Schema, ShortText, Timestamp, shared_fields
from tertulia.inspection.context_meter import ContextMeter
from tertulia.inspection.context_preview import PromptEstimate
from tertulia.memory.schemas import SummaryView
from tertulia.models.calls import Image
from tertulia.turns.domain import Ask
from tertulia.turns.schemas import Guest, Picture


class PointerView(Schema):
    """Where an item can be looked up; what does not apply is empty."""

    message_ids: list[str]
    file_id: str
    project_id: str
    conversation_id: str
    round_id: str
    round_number: int
    path: str
    start_line: int
    end_line: int
    start_char: int
    end_char: int
    summary_id: str
    number: int
    call_id: str
    step: int


class ItemView(Schema):
    """One thing that a model is shown; `text` is what it reads, where that was asked for.

    One that is hidden comes from what the caller may not see, or what is deleted: where that is or was
    is not told, and its `id` is good for this answer alone.
    """

    id: str
    title: str
    tokens: int
    pointer: PointerView
    local_only: bool
    is_hidden: bool
    text: str

    @classmethod
    def of(cls, item: Item, *, texts: bool) -> "ItemView":
        """Show an item."""
        pointer = PointerView(**shared_fields(item.pointer, PointerView))
        return cls(
            id=item.id,
            title=item.title,
            tokens=item.tokens,
            pointer=pointer,
            local_only=item.local_only,
            is_hidden=item.is_hidden,
            text=item.text if texts else "",
        )


class SectionView(Schema):
    """A part of a prompt."""

    kind: SectionKind
    tokens: int
    items: list[ItemView]

    @classmethod
    def of(cls, section: Section, *, texts: bool) -> "SectionView":
        """Show a section."""
        items = [ItemView.of(item, texts=texts) for item in section.items]
        return cls(kind=section.kind, tokens=section.tokens, items=items)


class LeftOutView(Schema):
    """An item that is not in the prompt, and why."""

    section: SectionKind
    item: ItemView
    reason: WhyNot
    why: str

    @classmethod
    def of(cls, left: LeftOut) -> "LeftOutView":
        """Show what was left out."""
        item = ItemView.of(left.item, texts=False)
        return cls(
            section=left.section, item=item, reason=left.reason, why=LEFT_OUT_EXPLANATIONS[left.reason]
        )


class StepView(Schema):
    """What a model was sent when it went on after using tools: `tokens` in all, of which `items` are new."""

    number: int
    tokens: int
    items: list[ItemView]

    @classmethod
    def of(cls, step: PlanStep, *, texts: bool) -> "StepView":
        """Show a step."""
        items = [ItemView.of(item, texts=texts) for item in step.items]
        return cls(number=step.number, tokens=step.tokens, items=items)


class PlanView(Schema):
    """What one model is shown for one question; `hash` is the same exactly when every byte is.

    `tokens` are those of its prompt; a provider counts the prompts of all `steps`, which are `sent` together.
    """

    lane: str
    model: str
    window: int
    reply: int
    limit: int
    tokens: int
    sent: int
    hash: str
    shortened: bool
    local_only: bool
    sections: list[SectionView]
    steps: list[StepView]
    left_out: list[LeftOutView]

    @classmethod
    def of(cls, plan: PromptPlan, *, texts: bool = False) -> "PlanView":
        """Show a plan."""
        return cls(
            **{
                name: value
                for name, value in shared_fields(plan, cls).items()
                if name not in ("sections", "steps", "left_out")
            },
            sections=[SectionView.of(section, texts=texts) for section in plan.sections],
            steps=[StepView.of(step, texts=texts) for step in plan.steps],
            left_out=[LeftOutView.of(left) for part in (plan, *plan.steps) for left in part.left_out],
        )


class ReceiptView(Schema):
    """What one model was shown for one reply, and what its provider said of it."""

    reply_id: str
    plan: PlanView
    status: ReplyStatus
    usage: UsageView | None
    cost: float | None
    #: The share of the prompt that the provider had cached; null until it says.
    cached_share: float | None
    created_at: Timestamp

    @classmethod
    def of(cls, receipt: Receipt, reply: Reply, *, texts: bool) -> "ReceiptView":
        """Show a receipt."""
        usage = view_as(UsageView, reply.usage) if reply.usage else None
        known = usage is not None and not usage.estimated and usage.input > 0
        return cls(
            reply_id=receipt.reply_id,
            plan=PlanView.of(receipt.plan, texts=texts),
            status=reply.status,
            usage=usage,
            cost=reply.cost,
            cached_share=usage.cached / usage.input if usage and known else None,
            created_at=receipt.created_at,
        )


class PictureSize(Schema):
    """A picture of which only the pixels across and down are told, as it costs what they say; 0: unknown."""

    width: Annotated[int, Field(ge=0, le=100_000)]
    height: Annotated[int, Field(ge=0, le=100_000)]

    def to_image(self) -> Image:
        """Return a picture that counts like one of this size."""
        return Image("image/png", png_header(ImageSize(self.width, self.height)))


class PreviewBody(Schema):
    """A question that was not sent yet; without models those of the round before would be asked."""

    message: LongText = ""
    conversation_id: AnyCaseId | None = None
    project_id: AnyCaseId | None = None
    #: It would begin a temporary conversation.
    temporary: bool = False
    parent_id: AnyCaseId | None = HEAD_PARENT
    models: Annotated[list[ShortText | Guest], Field(max_length=8)] = Field(
        default_factory=list[ShortText | Guest]
    )
    policy: Policy = Policy.EVERYONE
    images: Annotated[list[Picture | PictureSize], Field(max_length=8)] = Field(
        default_factory=list[Picture | PictureSize]
    )
    #: Every word that the models would be shown is told, too.
    texts: bool = False

    def to_ask(self) -> Ask:
        """Return what would be asked."""
        guests = [Guest(model=model) if isinstance(model, str) else model for model in self.models]
        return Ask(
            message=self.message,
            invited=tuple(guest.to_invited() for guest in guests),
            conversation_id=self.conversation_id,
            project_id=self.project_id,
            temporary=self.temporary,
            policy=self.policy,
            parent_id=self.parent_id,
            images=tuple(picture.to_image() for picture in self.images),
        )


class EstimateView(Schema):
    """What one lane would be shown and cost: a plan, or the problem that keeps it from being asked.

    `cost_input` is for the prompt alone, `cost_most` with the longest reply; null where no price is known.
    """

    lane: str
    model: str
    plan: PlanView | None
    problem: ReplyProblem | None
    cost_input: float | None
    cost_most: float | None

    @classmethod
    def of(cls, estimate: PromptEstimate, *, texts: bool = False) -> "EstimateView":
        """Show an estimate."""
        problem = estimate.problem
        return cls(
            lane=estimate.lane,
            model=estimate.model.id,
            plan=PlanView.of(estimate.plan, texts=texts) if estimate.plan else None,
            problem=ReplyProblem(code=problem.code, message=problem.message) if problem else None,
            cost_input=estimate.cost_input,
            cost_most=estimate.cost_most,
        )


class PreviewView(Schema):
    """What each model would be shown."""

    lanes: list[EstimateView]


class MeterView(Schema):
    """How full a conversation is for the roomiest of its models.

    `used` are the tokens that its next prompt takes, `limit` is what that may have. The `whole`, with the
    rounds that the prompt does not show, is compressed by itself at `threshold`; `freed` is about how much
    shorter the prompt would be if it were compressed now.
    """

    used: int
    limit: int
    whole: int
    threshold: int
    freed: int
    watermark: int

    @classmethod
    def of(cls, meter: ContextMeter) -> "MeterView":
        """Show how full a conversation is."""
        load = meter.load
        return cls(
            used=load.used,
            limit=load.limit,
            whole=load.total_tokens,
            threshold=int(COMPRESSION_THRESHOLD_SHARE * load.limit),
            freed=meter.freed,
            watermark=meter.watermark,
        )


class ContextView(Schema):
    """What the models of a conversation would be shown next, how full it is, and what is summarised."""

    meter: MeterView
    lanes: list[EstimateView]
    summary: SummaryView | None
