"""How talking to a model fails.

Upstream
└── ProviderError            retryable? is said by each
    ├── ProviderRefused      400-like: asking again changes nothing
    │   └── PromptTooLong    the prompt does not fit the window
    ├── AddressForbidden     its address is not one that may be asked
    ├── KeyRejected          the key is wrong or may not
    ├── OutOfCredit          the account behind the key is empty
    ├── ModelGone            the server has no such model
    ├── ProviderBusy         429: come back later, perhaps it says when
    ├── ProviderDown         5xx, 529, no connection
    ├── ProviderSilent       nothing came for too long
    ├── ProviderGarbled      what came makes no sense
    ├── ArgumentsTooLong     it wrote tool calls without end
    └── StreamCut            it stopped in the middle
"""

from typing import ClassVar, Literal

from tertulia.core.errors import Invalid, NotFound, Upstream


class ProviderError(Upstream):
    """A provider failed. `provider` is the connection's slug; the sentence says what to do."""

    code = "provider_failed"
    retryable: ClassVar[bool] = False

    def __init__(self, provider: str, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message, provider=provider)
        self.provider = provider
        self.retry_after = retry_after


class ProviderRefused(ProviderError):
    """The provider says the request is wrong."""

    code = "provider_refused"


class PromptTooLong(ProviderRefused):
    """The provider says the prompt does not fit the model's window."""

    code = "prompt_too_long"


class AddressForbidden(ProviderError):
    """The connection's host leads where requests may not go."""

    code = "address_forbidden"

    def __init__(self, provider: str) -> None:
        super().__init__(
            provider,
            f"The address of {provider} leads into a network that it may not: an admin can connect to a "
            "server there by its private address or name.",
        )


class ToolsUnknown(ProviderRefused):
    """The provider says that the model can call no tools."""

    code = "tools_unknown"


class OptionRefused(ProviderRefused):
    """The provider says that the model does not take an option of the call, which can be left out."""

    option: ClassVar[Literal["thinking", "temperature"]]


class EffortRefused(OptionRefused):
    """The model cannot be told how long to think."""

    code = "effort_refused"
    option = "thinking"


class TemperatureRefused(OptionRefused):
    """The model takes no temperature."""

    code = "temperature_refused"
    option = "temperature"


class KeyRejected(ProviderError):
    """The provider does not accept the key."""

    code = "key_rejected"


class OutOfCredit(ProviderError):
    """The account behind the key has no money or quota left."""

    code = "out_of_credit"


class ModelGone(ProviderError):
    """The provider does not know the model."""

    code = "model_gone"


class ProviderBusy(ProviderError):
    """The provider asks us to slow down."""

    code = "provider_busy"
    retryable = True


class ProviderDown(ProviderError):
    """The provider cannot be reached or failed inside."""

    code = "provider_down"
    retryable = True


class ProviderSilent(ProviderError):
    """Nothing came for longer than we wait."""

    code = "provider_silent"
    retryable = True


class ProviderGarbled(ProviderError):
    """What the provider sent makes no sense."""

    code = "provider_garbled"


class ArgumentsTooLong(ProviderError):
    """The model wrote more arguments for its tools than one answer may hold."""

    code = "tool_arguments_too_long"

    def __init__(self, provider: str, max_chars: int) -> None:
        super().__init__(
            provider,
            f"The model wrote more than {max_chars:,} characters of arguments for its tools: ask again, or "
            "ask for less at once.",
        )


class StreamCut(ProviderError):
    """The stream stopped before the model said it was done."""

    code = "stream_cut"
    retryable = True


class ModelUnknown(NotFound):
    """No connection offers a model of that name."""

    code = "model_unknown"

    def __init__(self, model: str) -> None:
        super().__init__("model")
        self.message = f"No model is called {model!r} here."
        self.data = {"model": model}


class ConnectionInvalid(Invalid):
    """What was said about a connection to a provider cannot be used."""

    code = "connection_invalid"


class BuiltinMissing(ProviderError):
    """The built-in model's weights are not on this machine yet."""

    code = "builtin_missing"

    def __init__(self) -> None:
        message = "The built-in model is not installed: run `tertulia models install builtin` on the server."
        super().__init__("builtin", message)
