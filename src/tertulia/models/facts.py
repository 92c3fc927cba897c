"""What we know of one model: its server's word, else our families, else what is published, else a guess."""

from dataclasses import dataclass

from tertulia.models.addresses import is_private_url
from tertulia.models.calls import Offered
from tertulia.models.connections import Connection, ConnectionKind
from tertulia.models.domain import Ability, Model, Prices
from tertulia.models.families import Family, family_of, tier_of

CLOUD_WINDOW, CLOUD_OUTPUT = 128_000, 32_000
LOCAL_WINDOW, LOCAL_OUTPUT = 8_192, 2_048
#: Kinds whose servers may run the model themselves.
HOSTING = frozenset({ConnectionKind.OLLAMA, ConnectionKind.COMPATIBLE})
FREE = Prices(0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a model reads, and how much of that it may write."""

    window: int
    output: int


def model_of(offered: Offered, connection: Connection) -> Model:
    """Return a model as its server and our own tables describe it. Not for the event loop: it may import."""
    from tertulia.models.price_list import published  # noqa: PLC0415 - takes a third of a second

    name, family = offered.name, family_of(offered.name)
    local = is_local(name, connection)
    known = None if local else published(name, str(connection.kind), connection.base_url)
    limits = limits_of(offered, family, known.window if known else None, near=is_own(connection))
    return Model(
        id=name,
        connection=connection.slug,
        name=name,
        title=offered.title or (known.title if known else None) or name,
        window=limits.window,
        output_limit=limits.output,
        tier=tier_of(name),
        abilities=abilities_of(family, local=local),
        prices=FREE if local else known.prices if known else None,
        local=local,
    )


def is_own(connection: Connection) -> bool:
    """Tell whether a connection leads to a server that runs models itself, on our own network."""
    return connection.kind in HOSTING and is_private_url(connection.base_url)


def is_local(name: str, connection: Connection) -> bool:
    """Tell whether what a model is told stays on our own network, as far as anybody can tell."""
    family = family_of(name)
    # Ollama passes models with this ending on to its own cloud, and a gateway passes on the makers' models.
    sent_away = name.endswith("cloud") or (family is not None and family.cloud)
    return is_own(connection) and not sent_away


def limits_of(offered: Offered, family: Family | None, published: int | None, *, near: bool) -> Limits:
    """Return the window and the output limit, always leaving room for a prompt."""
    if near and not (family and family.cloud):
        # A server of one's own loads a model with less than it was trained for, unless it says otherwise.
        window = offered.window or LOCAL_WINDOW
        output = offered.output_limit or max(LOCAL_OUTPUT, window // 8)
    else:
        window = offered.window or published or (family.window if family else None) or CLOUD_WINDOW
        output = offered.output_limit or (family.output_limit if family else None) or CLOUD_OUTPUT
    return Limits(window, max(1, min(output, window // 2)))


def abilities_of(family: Family | None, *, local: bool) -> frozenset[Ability]:
    """Return what a model can do; of an unknown one in the cloud we expect much, of a local one nothing."""
    if family is not None:
        return family.abilities
    return frozenset() if local else frozenset({Ability.TOOLS, Ability.VISION})
