"""Where bytes lie that are too large for a row: a folder by default, anything fsspec speaks by setting."""

from tertulia.infra.blobs.store import Blobs

__all__ = ["Blobs"]
