"""What can go wrong with a profile."""

from tertulia.core.errors import Conflict


class NoConsent(Conflict):
    """A profile was written by somebody who has not consented to having one."""

    code = "no_consent"

    def __init__(self) -> None:
        super().__init__(
            "You have not agreed to having a profile: "
            'send {"consented": true} to PUT /api/memory/consent first, or switch it on in the app.'
        )
