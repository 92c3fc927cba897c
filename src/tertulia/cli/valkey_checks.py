"""What the doctor looks at for the news between processes."""

import asyncio

from redis.exceptions import RedisError

from tertulia.cli.check_results import CheckResult, CheckState
from tertulia.core.errors import TertuliaError
from tertulia.infra.courier.valkey_client import explain_valkey_error, make_client
from tertulia.settings import Settings

VALKEY_ANSWER_SECONDS = 3.0


def check_valkey(settings: Settings) -> CheckResult:
    """Look whether Valkey, or Redis, answers."""
    if not settings.redis_url:
        message = "REDIS_URL is not set: processes look into the database four times a second"
        return CheckResult("valkey", CheckState.OK, message)
    try:
        version = asyncio.run(read_valkey_version(settings.redis_url))
    except TertuliaError as error:
        return CheckResult("valkey", CheckState.FAIL, "Cannot be used", error.message)
    except (RedisError, OSError, TimeoutError) as error:
        fix = "Check REDIS_URL and the server. Until then, processes look into the database instead."
        return CheckResult("valkey", CheckState.FAIL, f"Cannot be used: {explain_valkey_error(error)}", fix)
    return CheckResult("valkey", CheckState.OK, f"Answers, version {version}")


async def read_valkey_version(url: str) -> str:
    """Return the version of the server that answers."""
    async with asyncio.timeout(VALKEY_ANSWER_SECONDS), make_client(url) as client:
        facts = await client.info("server")
    return str(facts.get("valkey_version") or facts.get("redis_version"))
