"""How a summary fails."""

from tertulia.core.errors import Kind, TertuliaError


class SummaryUnusable(TertuliaError):
    """A model was asked for a summary and nothing in its answer can be used."""

    kind = Kind.UPSTREAM
    code = "summary_unusable"

    def __init__(self) -> None:
        super().__init__(
            "The utility model's summary could not be read. Choose another utility model, or try again."
        )
