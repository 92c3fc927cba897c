"""That an admin declined to prepare the sandbox on this machine: kept with the data, over restarts."""

from pathlib import Path


class PreparationRefusal:
    """A file that is there while the refusal stands."""

    def __init__(self, data_dir: Path) -> None:
        self._file = data_dir / "sandbox" / "declined"

    @property
    def is_recorded(self) -> bool:
        """Tell whether the sandbox is not to be prepared here."""
        return self._file.exists()

    def record(self) -> None:
        """Remember it."""
        self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._file.touch()

    def withdraw(self) -> None:
        """Forget it."""
        self._file.unlink(missing_ok=True)
