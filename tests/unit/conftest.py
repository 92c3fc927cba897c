"""Unit tests start no server: one that needs it stands in tests/integration."""

from typing import NoReturn

import pytest
from tests import world


def refuse_server(*_: object, **__: object) -> NoReturn:
    raise AssertionError("Unit tests start no server: this one belongs into tests/integration.")


@pytest.fixture(autouse=True)
def no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail a test that starts a server."""
    monkeypatch.setattr(world, "make_server", refuse_server)
