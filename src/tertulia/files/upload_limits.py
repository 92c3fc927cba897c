"""How large a request that brings files may be."""

from tertulia.files.errors import UploadTooLarge
from tertulia.infra.http.body_limits import BodyLimit
from tertulia.settings import Settings

#: What one upload may always bring, however small a file must be.
UPLOAD_ALWAYS_ALLOWED_BYTES = 100_000_000
#: What a form has besides its files.
FORM_OVERHEAD_MAX_BYTES = 1_000_000


def upload_max_bytes(settings: Settings) -> int:
    """Return how much is taken where files are sent: as much as the largest file has, and never little."""
    return max(settings.largest_file, UPLOAD_ALWAYS_ALLOWED_BYTES) + FORM_OVERHEAD_MAX_BYTES


UPLOAD_BODY_LIMIT = BodyLimit(upload_max_bytes, refusal=UploadTooLarge)
