"""Whether the providers that the environment speaks of answer."""

import asyncio

from tertulia.cli.findings import Finding, State
from tertulia.core.errors import TertuliaError
from tertulia.models.connections import Connection, from_environment
from tertulia.settings import Settings

SECONDS = 15


def check_reach(settings: Settings) -> list[Finding]:
    """Ask every provider of the environment for its models, all at once."""

    async def ask_all() -> list[Finding]:
        asked = [ask(connection) for connection in from_environment(settings.provider_env)]
        return list(await asyncio.gather(*asked))

    return asyncio.run(ask_all())


async def ask(connection: Connection) -> Finding:
    """Ask one provider for its models."""
    from tertulia.infra.http.outbound import make_client  # noqa: PLC0415 - only when asked to go online
    from tertulia.models.providers import provider_for  # noqa: PLC0415 - see above

    name = f"provider {connection.slug}"
    if connection.broken:
        return Finding(name, State.FAIL, connection.broken, "Correct the variable.")
    try:
        async with make_client() as client, asyncio.timeout(SECONDS):
            provider = provider_for(connection.endpoint, client=client, silence_seconds=SECONDS)
            count = len(await provider.offered())
    except (TertuliaError, TimeoutError) as error:
        message = error.message if isinstance(error, TertuliaError) else "It did not answer in time."
        return Finding(name, State.FAIL, message, "Check the key, the address and the network.")
    return Finding(name, State.OK, f"{count} models")
