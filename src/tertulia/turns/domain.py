"""What a turn is asked to do, and what is known of a run."""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto

from tertulia.conversations.domain import Policy
from tertulia.conversations.round_writer import HEAD_PARENT
from tertulia.core.principal import Principal, Role
from tertulia.models.calls import Effort, Image, Usage
from tertulia.models.domain import Prices


@dataclass(frozen=True, slots=True)
class InvitedModel:
    """One model that is asked, with how it should answer."""

    model: str
    effort: Effort | None = None
    temperature: float | None = None
    output_limit: int | None = None


@dataclass(frozen=True, slots=True)
class Ask:
    """A person's message to the table; without a conversation a new one is made."""

    message: str
    invited: tuple[InvitedModel, ...] = ()
    conversation_id: str | None = None
    project_id: str | None = None
    #: A new conversation is to be temporary.
    temporary: bool = False
    policy: Policy = Policy.EVERYONE
    parent_id: str | None = HEAD_PARENT
    images: tuple[Image, ...] = ()
    idempotency_key: str | None = None


class StopCause(Enum):
    """Who cut a reply off."""

    PERSON = auto()
    SERVER = auto()


@dataclass(frozen=True, slots=True)
class Run:
    """A reply that is being produced: by whom, until when that is sure, and for how much at most."""

    reply_id: str
    workspace_id: str
    conversation_id: str
    user_id: str
    worker: str
    lease_until: datetime
    stop_requested: bool
    #: It waits for a person's yes, and nobody works on it.
    waiting: bool
    reserved: float
    #: Tokens of all prompts that were sent for it.
    asked_tokens: int
    prices: Prices | None
    #: The person's own connection answers: only their own limit counts it.
    personal: bool
    created_at: datetime

    @property
    def principal(self) -> Principal:
        """Return the person on whose behalf the reply is produced."""
        return Principal(self.user_id, self.workspace_id, Role.MEMBER)


@dataclass(frozen=True, slots=True)
class Reservation:
    """What a reply may cost at most, and what tells its cost if the server dies in the middle of it."""

    amount: float
    #: How much of it is spent already.
    spent: float
    asked_tokens: int
    prices: Prices | None
    personal: bool


@dataclass(frozen=True, slots=True)
class Charge:
    """What limits count for a reply, and whether its person pays for it by themselves."""

    amount: float
    personal: bool


NO_CHARGE = Charge(0.0, personal=False)


@dataclass(frozen=True, slots=True)
class Spending:
    """What one call cost."""

    user_id: str
    project_id: str | None
    conversation_id: str
    model: str
    purpose: str
    usage: Usage
    cost: float
    #: What limits count: at least what the provider may bill.
    counted: float
    personal: bool
