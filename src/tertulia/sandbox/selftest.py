"""Tries to get out, before anybody else can."""

import asyncio
import contextlib
import hashlib
import secrets
import tempfile
from contextlib import aclosing
from pathlib import Path

from tertulia.sandbox.backend import SandboxBackend
from tertulia.sandbox.domain import PrintedText, RunEvent, RunOutcome, SandboxJob
from tertulia.sandbox.errors import SandboxUnavailable
from tertulia.sandbox.probes import PROBE_FILES, SANDBOX_PROBES, SandboxProbe

SELFTEST_FAILED = (
    "The sandbox is off: its check found that '{name}' is not held back on this machine ({why})."
)


async def run_selftest(backend: SandboxBackend) -> None:
    """Make every attempt once with these versions on this kernel; raise if one gets anywhere."""
    mark = backend.folder / f"checked-{hashlib.sha256(backend.name.encode()).hexdigest()[:32]}"
    if mark.exists():
        return
    with tempfile.TemporaryDirectory() as folder:
        secret = Path(folder) / "secret"
        secret.write_text(secrets.token_hex(16))
        for probe in SANDBOX_PROBES:
            problem = escape_found(probe, await run_probe(probe, backend, secret), secret.read_text())
            if problem:
                raise SandboxUnavailable(SELFTEST_FAILED.format(name=probe.name, why=problem))
    # Where the folder cannot be written to, the attempts are made again at the next start.
    with contextlib.suppress(OSError):
        mark.touch(mode=0o600)


async def run_probe(probe: SandboxProbe, backend: SandboxBackend, secret: Path) -> list[RunEvent]:
    """Return everything that came of an attempt."""
    job = SandboxJob(probe.source(str(secret)), files=PROBE_FILES, limits=probe.limits)
    async with aclosing(backend.run(job, stop=asyncio.Event())) as events:
        return [event async for event in events]


def escape_found(probe: SandboxProbe, events: list[RunEvent], secret: str) -> str:
    """Return what is wrong with what came of an attempt, or nothing."""
    outcome = events[-1]
    if not isinstance(outcome, RunOutcome):
        return "it did not end"
    printed = "".join(event.text for event in events if isinstance(event, PrintedText))
    if secret in f"{printed}{outcome}":
        return "it read a file of the host"
    if outcome.status is not probe.expected_status:
        return f"it ended as {outcome.status}: {outcome.error[-200:]}"
    if outcome.error == "" and outcome.value != "'held'":
        return outcome.value[:200]
    return ""
