"""What the doctor looks at for the news between processes."""

import asyncio

from redis.asyncio import Redis
from redis.exceptions import RedisError

from tertulia.cli.check_results import CheckResult, CheckState
from tertulia.settings import Settings

VALKEY_ANSWER_SECONDS = 3.0


def check_valkey(settings: Settings) -> CheckResult:
    """Look whether Valkey, or Redis, answers."""
    if not settings.redis_url:
        message = "REDIS_URL is not set: processes look into the database four times a second"
        return CheckResult("valkey", CheckState.OK, message)
    try:
        version = asyncio.run(read_valkey_version(settings.redis_url))
    except (RedisError, OSError, TimeoutError) as error:
        fix = "Check REDIS_URL and the server. Until it answers, processes look into the database instead."
        return CheckResult("valkey", CheckState.FAIL, f"Does not answer: {type(error).__name__}", fix)
    return CheckResult("valkey", CheckState.OK, f"Answers, version {version}")


async def read_valkey_version(url: str) -> str:
    """Return the version of the server that answers."""
    async with asyncio.timeout(VALKEY_ANSWER_SECONDS), Redis.from_url(url) as client:
        facts = await client.info("server")
    return str(facts.get("valkey_version") or facts.get("redis_version"))
