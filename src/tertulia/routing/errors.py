"""What can go wrong when a model is chosen."""

from tertulia.core.errors import Kind, TertuliaError


class NoModelFits(TertuliaError):
    """None of the models can do what the question needs."""

    kind = Kind.INVALID
    code = "no_model_fits"

    def __init__(self, needed: str) -> None:
        super().__init__(f"None of these models {needed}. Name others, or ask for less.")
