"""Which courier a process has."""

import hashlib
from importlib import import_module

from tertulia.infra.courier.courier import Courier
from tertulia.infra.courier.in_process import InProcessCourier
from tertulia.infra.courier.polling import PollingCourier
from tertulia.infra.secrets import key_from_environment
from tertulia.settings import Settings


def open_courier(settings: Settings, *, is_shared: bool) -> Courier:
    """Return the courier of a process; `is_shared` says whether others work with the same database."""
    if not is_shared:
        return InProcessCourier()
    if not settings.redis_url:
        return PollingCourier()
    # Heavy, and only a process among others needs it.
    courier: Courier = import_module("tertulia.infra.courier.valkey").ValkeyCourier(
        settings.redis_url, channel=channel_name(key_from_environment(settings))
    )
    return courier


def check_courier_address(settings: Settings) -> None:
    """Raise where the address of the server that carries news cannot be read; it need not answer yet."""
    if settings.is_shared and settings.redis_url:
        import_module("tertulia.infra.courier.valkey_client").make_client(settings.redis_url)


def channel_name(secret_key: str) -> str:
    """Return a name that all processes of a server know, and no other server that uses the same Valkey."""
    return f"tertulia:{hashlib.sha256(f'courier {secret_key}'.encode()).hexdigest()[:32]}"
