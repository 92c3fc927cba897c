"""The environment that a child process is given."""

import os

#: All of it: no keys, no addresses.
CHILD_ENVIRONMENT_NAMES = (
    "PATH",
    "HOME",
    "LANG",
    "LD_LIBRARY_PATH",
    "PYTHONPATH",
    "SYSTEMROOT",
    "TMPDIR",
    "TEMP",
)


def child_environment() -> dict[str, str]:
    """Return the environment for a process that needs no secrets."""
    return {name: os.environ[name] for name in CHILD_ENVIRONMENT_NAMES if name in os.environ}
