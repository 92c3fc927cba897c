"""What we know of one model: its server's word, else our families, else what is published, else a guess."""

from dataclasses import dataclass

from tertulia.models.calls import OfferedModel
from tertulia.models.connection_urls import is_private_url
from tertulia.models.connections import Connection, ConnectionKind
from tertulia.models.domain import FREE_PRICES, Ability, Model
from tertulia.models.model_families import ModelFamily, family_of, tier_of

CLOUD_CONTEXT_WINDOW_TOKENS, CLOUD_OUTPUT_MAX_TOKENS = 128_000, 32_000
LOCAL_CONTEXT_WINDOW_TOKENS, LOCAL_OUTPUT_MAX_TOKENS = 8_192, 2_048
#: Kinds whose servers may run the model themselves.
SELF_HOSTED_KINDS = frozenset({ConnectionKind.OLLAMA, ConnectionKind.COMPATIBLE})


@dataclass(frozen=True, slots=True)
class ModelLimits:
    """How much a model reads, and how much of that it may write."""

    context_window: int
    output: int


def describe_model(offered: OfferedModel, connection: Connection) -> Model:
    """Return a model as its server and our own tables describe it. Not for the event loop: it may import."""
    from tertulia.models.published_prices import find_published

    name, family = offered.name, family_of(offered.name)
    local = is_local_model(name, connection)
    known = None if local else find_published(name, str(connection.kind), connection.base_url)
    limits = limits_of(
        offered, family, known.context_window if known else None, self_hosted=is_self_hosted(connection)
    )
    return Model(
        id=name,
        connection=connection.slug,
        name=name,
        title=offered.title or (known.title if known else None) or name,
        context_window=limits.context_window,
        output_limit=limits.output,
        tier=tier_of(name),
        abilities=abilities_of(family, local=local),
        prices=FREE_PRICES if local else known.prices if known else None,
        local=local,
    )


def is_self_hosted(connection: Connection) -> bool:
    """Tell whether a connection leads to a server that runs models itself, on our own network."""
    return connection.kind in SELF_HOSTED_KINDS and is_private_url(connection.base_url)


def is_local_model(name: str, connection: Connection) -> bool:
    """Tell whether what a model is told stays on our own network, as far as anybody can tell."""
    family = family_of(name)
    # Ollama passes models with this ending on to its own cloud, and a gateway passes on the makers' models.
    sent_away = name.endswith("cloud") or (family is not None and family.is_cloud_only)
    return is_self_hosted(connection) and not sent_away


def limits_of(
    offered: OfferedModel, family: ModelFamily | None, published: int | None, *, self_hosted: bool
) -> ModelLimits:
    """Return the window and the output limit, always leaving room for a prompt."""
    if self_hosted and not (family and family.is_cloud_only):
        # A server of one's own loads a model with less than it was trained for, unless it says otherwise.
        window = offered.window or LOCAL_CONTEXT_WINDOW_TOKENS
        output = offered.output_limit or max(LOCAL_OUTPUT_MAX_TOKENS, window // 8)
    else:
        window = (
            offered.window
            or published
            or (family.context_window if family else None)
            or CLOUD_CONTEXT_WINDOW_TOKENS
        )
        output = offered.output_limit or (family.output_limit if family else None) or CLOUD_OUTPUT_MAX_TOKENS
    return ModelLimits(window, max(1, min(output, window // 2)))


def abilities_of(family: ModelFamily | None, *, local: bool) -> frozenset[Ability]:
    """Return what a model can do; of an unknown one in the cloud we expect much, of a local one nothing."""
    if family is not None:
        return family.abilities
    return frozenset() if local else frozenset({Ability.TOOLS, Ability.VISION})
