"""How the sandbox says no."""

from tertulia.core.errors import Invalid, Limited, Unavailable


class SandboxUnavailable(Unavailable):
    """No code can be run just now, or on this machine."""

    code = "sandbox_unavailable"


class SandboxBusy(Limited):
    """More runs wait already than we let wait."""

    code = "sandbox_busy"

    def __init__(self, waiting: int) -> None:
        super().__init__(f"{waiting} runs of code wait already: try again when some have ended.")
        self.retry_after = 5


class JobInvalid(Invalid):
    """A job cannot be run as it stands."""

    code = "sandbox_job_invalid"


class NameRefused(Invalid):
    """A tool cannot be kept under this name."""

    code = "tool_name_refused"
