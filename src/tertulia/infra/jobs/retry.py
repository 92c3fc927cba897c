"""Whether a job that failed is tried again."""

from tertulia.core.errors import Kind, TertuliaError

#: By the kind of an error, whether the same job may succeed later.
RETRIED_BY_KIND = {
    Kind.INVALID: False,
    Kind.NOT_SIGNED_IN: False,
    Kind.NOT_ALLOWED: False,
    Kind.NOT_FOUND: False,
    Kind.CONFLICT: True,
    Kind.TOO_LARGE: False,
    Kind.LIMITED: True,
    Kind.UNPAID: False,
    Kind.UNAVAILABLE: True,
    Kind.STORAGE_FULL: True,
    Kind.UPSTREAM: True,
}


def is_retried(error: Exception) -> bool:
    """Tell whether a job is tried again after an error; one that nobody foresaw may pass."""
    return RETRIED_BY_KIND[error.kind] if isinstance(error, TertuliaError) else True
