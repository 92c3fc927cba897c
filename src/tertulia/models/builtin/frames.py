"""Messages between the server and the built-in model's process; once it serves, the rest is HTTP."""

import msgspec


class BuiltinSetup(msgspec.Struct, frozen=True):
    """Where the weights are, and the key that whoever asks must have."""

    weights: str
    key: str


class BuiltinAddress(msgspec.Struct, frozen=True):
    """Where the model is served."""

    base_url: str
