"""Models, connections and presets on the wire. A key is accepted and never sent."""

from typing import Annotated

from pydantic import Field, SecretStr

from tertulia.infra.http.schema import Schema, ShortText, Timestamp, ValidUnicode
from tertulia.models.calls import Effort
from tertulia.models.catalogue import ModelListing
from tertulia.models.connection_service import ConnectionChange, NewConnection
from tertulia.models.connections import ConnectionKind, Source
from tertulia.models.domain import Ability, Model, Tier
from tertulia.models.presets import (
    MODEL_REFERENCE_MAX_CHARS,
    PRESET_MODELS_MAX,
    PRESET_NAME_MAX_CHARS,
    PresetDraft,
)

Url = Annotated[str, Field(max_length=500)]
Reference = Annotated[str, Field(min_length=1, max_length=MODEL_REFERENCE_MAX_CHARS), ValidUnicode]


class PricesView(Schema):
    """US dollars for a million tokens; a prompt of more than `beyond` tokens costs `long` instead."""

    input: float
    output: float
    cached_input: float | None
    cache_write: float | None
    beyond: int | None = None
    long: "PricesView | None" = None


class ModelView(Schema):
    """One model that can be asked. `stale`: its server could not be reached just now."""

    id: str
    connection: str
    name: str
    title: str
    window: int
    output_limit: int
    tier: Tier
    abilities: list[Ability]
    prices: PricesView | None
    local: bool
    stale: bool

    @classmethod
    def of(cls, model: Model, listing: ModelListing) -> "ModelView":
        """Return a model as it is shown."""
        return cls(
            id=model.id,
            connection=model.connection,
            name=model.name,
            title=model.title,
            window=model.context_window,
            output_limit=model.output_limit,
            tier=model.tier,
            abilities=sorted(model.abilities),
            prices=None if model.prices is None else PricesView.model_validate(model.prices),
            local=model.local,
            stale=model.connection in listing.stale_connections,
        )


class ProblemView(Schema):
    """Why a connection's models are missing or outdated."""

    connection: str
    message: str


class ModelsView(Schema):
    """The models there are, and what is wrong with any connection."""

    models: list[ModelView]
    problems: list[ProblemView]

    @classmethod
    def of(cls, listing: ModelListing) -> "ModelsView":
        """Return a listing as it is shown."""
        models = [ModelView.of(model, listing) for model in listing.models]
        return cls(
            models=models, problems=[ProblemView.model_validate(problem) for problem in listing.problems]
        )


class Capabilities(Schema):
    """What a model can do."""

    tools: bool
    vision: bool
    streaming: bool
    thinking: bool


class MetadataView(Schema):
    """What is known of one model. Costs are US dollars for a million tokens."""

    provider: str
    model_id: str
    display_name: str
    context_window: int
    max_output_tokens: int
    cost_input: float | None
    cost_output: float | None
    tier: Tier
    capabilities: Capabilities

    @classmethod
    def of(cls, model: Model) -> "MetadataView":
        """Return what is known of a model."""
        able = model.abilities
        return cls(
            provider=model.connection,
            model_id=model.id,
            display_name=model.title,
            context_window=model.context_window,
            max_output_tokens=model.output_limit,
            cost_input=model.prices.input if model.prices else None,
            cost_output=model.prices.output if model.prices else None,
            tier=model.tier,
            capabilities=Capabilities(
                tools=Ability.TOOLS in able,
                vision=Ability.VISION in able,
                streaming=True,
                thinking=Ability.THINKING in able,
            ),
        )


class MetadataList(Schema):
    """What is known of every model."""

    models: list[MetadataView]
    problems: list[ProblemView]

    @classmethod
    def of(cls, listing: ModelListing) -> "MetadataList":
        """Return what is known of every model in a listing."""
        models = [MetadataView.of(model) for model in listing.models]
        return cls(
            models=models, problems=[ProblemView.model_validate(problem) for problem in listing.problems]
        )


class ConnectionView(Schema):
    """A connection. Its key is never shown: only that there is one, and its last characters."""

    id: str
    source: Source
    kind: ConnectionKind
    slug: str
    base_url: str
    has_key: bool
    key_tail: str
    editable: bool


class ConnectionsView(Schema):
    """All connections that the caller sees; the first of each slug is the one that counts."""

    connections: list[ConnectionView]


class AddConnection(Schema):
    """A new connection: the workspace's, or with `personal` the caller's own."""

    kind: ConnectionKind
    slug: Annotated[str, Field(max_length=40)] = ""
    base_url: Url = ""
    key: SecretStr = SecretStr("")
    personal: bool = False

    def to_new(self) -> NewConnection:
        """Return what the service takes."""
        key = self.key.get_secret_value()
        return NewConnection(self.kind, self.slug, self.base_url, key, personal=self.personal)


class ChangeConnection(Schema):
    """What changes: a field left out stays, and an empty key is removed."""

    base_url: Url | None = None
    key: SecretStr | None = None

    def to_change(self) -> ConnectionChange:
        """Return what the service takes."""
        return ConnectionChange(self.base_url, None if self.key is None else self.key.get_secret_value())


class TrialView(Schema):
    """How trying a connection went: the models it lists, or what is wrong."""

    ok: bool
    models: list[str]
    code: str
    message: str


class PresetBody(Schema):
    """A preset: models that are asked together, and optionally one that merges their replies."""

    name: Annotated[ShortText, Field(max_length=PRESET_NAME_MAX_CHARS)]
    models: Annotated[list[Reference], Field(min_length=1, max_length=PRESET_MODELS_MAX)]
    merge_model: Reference | None = None
    #: How long each model should think, in the order of `models`; empty: all as they like.
    efforts: list[Effort | None] = Field(default_factory=list[Effort | None], max_length=PRESET_MODELS_MAX)

    def to_draft(self) -> PresetDraft:
        """Return what the service takes."""
        return PresetDraft(self.name, tuple(self.models), self.merge_model, tuple(self.efforts))


class PresetChange(Schema):
    """What to change of a preset; fields that are left out stay as they are.

    Other `models` without their `efforts` think as they like, unless they are as many as before.
    """

    name: Annotated[ShortText, Field(max_length=PRESET_NAME_MAX_CHARS)] = ""
    models: Annotated[list[Reference], Field(min_length=1, max_length=PRESET_MODELS_MAX)] = Field(
        default_factory=list[str]
    )
    merge_model: Reference | None = None
    efforts: list[Effort | None] = Field(default_factory=list[Effort | None], max_length=PRESET_MODELS_MAX)


class PresetView(Schema):
    """A preset as it is kept. `efforts` has one for each model, or is empty."""

    id: str
    name: str
    models: list[str]
    merge_model: str | None
    efforts: list[Effort | None]
    created_by: str
    created_at: Timestamp
    updated_at: Timestamp


class PresetsView(Schema):
    """The workspace's presets, by name."""

    presets: list[PresetView]
