"""Whether the providers that the environment speaks of answer."""

import asyncio

from tertulia.cli.check_results import CheckResult, CheckState
from tertulia.core.errors import TertuliaError
from tertulia.models.connections import Connection, connections_from_environment
from tertulia.settings import Settings

PROVIDER_CHECK_SECONDS = 15


def check_providers(settings: Settings) -> list[CheckResult]:
    """Ask every provider of the environment for its models, all at once."""

    async def ask_all() -> list[CheckResult]:
        asked = [
            check_provider(connection) for connection in connections_from_environment(settings.provider_env)
        ]
        return list(await asyncio.gather(*asked))

    return asyncio.run(ask_all())


async def check_provider(connection: Connection) -> CheckResult:
    """Ask one provider for its models."""
    from tertulia.infra.http.outbound import make_client
    from tertulia.models.providers import provider_for

    name = f"provider {connection.slug}"
    if connection.unusable_reason:
        return CheckResult(name, CheckState.FAIL, connection.unusable_reason, "Correct the variable.")
    try:
        async with make_client() as client, asyncio.timeout(PROVIDER_CHECK_SECONDS):
            provider = provider_for(
                connection.endpoint, client=client, silence_seconds=PROVIDER_CHECK_SECONDS
            )
            count = len(await provider.offered())
    except (TertuliaError, TimeoutError) as error:
        message = error.message if isinstance(error, TertuliaError) else "It did not answer in time."
        return CheckResult(name, CheckState.FAIL, message, "Check the key, the address and the network.")
    return CheckResult(name, CheckState.OK, f"{count} models")
