"""News between the processes of one server: quick, and allowed to be lost. See `courier`."""

from tertulia.infra.courier.courier import Courier
from tertulia.infra.courier.in_process import InProcessCourier

__all__ = ["Courier", "InProcessCourier"]
