"""What can go wrong with a tool, whichever it is."""

from tertulia.core.errors import Upstream


class OutcomeUnknown(Upstream):
    """What a tool was asked to do may be done, or not."""
