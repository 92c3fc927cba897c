"""How reminders are refused."""

from tertulia.core.errors import Conflict, Invalid, Unavailable


class PushSubscriptionInvalid(Invalid):
    """What a browser sent is no subscription that can be used."""

    code = "push_subscription_invalid"


class PushOff(Conflict):
    """The operator does not allow notifications by web push."""

    code = "push_off"

    def __init__(self) -> None:
        super().__init__(
            "This server sends no notifications to browsers. Ask whoever runs it to turn them on."
        )


class TooManyPushSubscriptions(Conflict):
    """A person has as many browsers with notifications as anybody may."""

    code = "too_many_push_subscriptions"

    def __init__(self, most: int) -> None:
        super().__init__(
            f"You have notifications in {most} browsers already. Turn them off in one of them first."
        )


class ReminderChannelUnavailable(Unavailable):
    """There is no way to send a test by this channel."""

    code = "reminder_channel_unavailable"


class ReminderTestFailed(Unavailable):
    """A test was not delivered."""

    code = "reminder_test_failed"
