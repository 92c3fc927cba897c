"""What a process depends on, looked at when somebody asks whether it can do its work."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from tertulia.core.errors import TertuliaError, Unavailable

log = logging.getLogger("tertulia")

#: A dependency that takes longer to answer does not count as there.
DEPENDENCY_CHECK_SECONDS = 3.0
DEPENDENCY_OK = "ok"


class Draining(Unavailable):
    """The process was told to stop: it finishes what it does and is to be given nothing new."""

    code = "draining"

    def __init__(self) -> None:
        super().__init__("This server is shutting down; ask another, or again in a moment.")


class DependencyUnreachable(Unavailable):
    """Something that the process needs does not answer."""

    code = "dependency_unreachable"


@dataclass(frozen=True, slots=True)
class Dependency:
    """Something that a process uses; where it is not `required`, the rest goes on without it."""

    name: str
    check: Callable[[], Awaitable[object]]
    required: bool = True


class DependencyChecks:
    """Looks at everything that a process depends on, all at once and for a few seconds at most."""

    def __init__(
        self,
        dependencies: Sequence[Dependency],
        *,
        is_draining: Callable[[], bool] = lambda: False,
        seconds: float = DEPENDENCY_CHECK_SECONDS,
    ) -> None:
        self._dependencies = dependencies
        self._is_draining = is_draining
        self._seconds = seconds

    async def check(self) -> dict[str, str]:
        """Return `ok` or a sentence for each dependency; raise what is wrong with one that is required."""
        if self._is_draining():
            raise Draining
        checked = await asyncio.gather(*map(self._check_one, self._dependencies))
        told = {
            dependency.name: error.message if error else DEPENDENCY_OK
            for dependency, error in zip(self._dependencies, checked, strict=True)
        }
        for dependency, error in zip(self._dependencies, checked, strict=True):
            if error is not None and dependency.required:
                error.data = {**error.data, "dependencies": told}
                raise error
        return told

    async def _check_one(self, dependency: Dependency) -> TertuliaError | None:
        try:
            async with asyncio.timeout(self._seconds):
                await dependency.check()
        except TertuliaError as error:
            return error
        except TimeoutError:
            return DependencyUnreachable(
                f"The {dependency.name} did not answer within {self._seconds:g} seconds."
            )
        except Exception as error:
            log.warning("The %s could not be reached.", dependency.name, exc_info=error)
            return DependencyUnreachable(
                f"The {dependency.name} could not be reached ({type(error).__name__})."
            )
        return None
