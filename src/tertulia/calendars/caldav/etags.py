"""Versions of events as servers name them, in the one spelling in which two are compared."""

WEAK_MARK = "W/"


def plain_etag(etag: str) -> str:
    """Return a version without quotes and without the mark that some proxies add."""
    etag = etag.strip().removeprefix(WEAK_MARK)
    return etag[1:-1] if len(etag) > 1 and etag[0] == etag[-1] == '"' else etag


def quote_etag(etag: str) -> str:
    """Return a version as headers carry it."""
    return f'"{etag}"'
