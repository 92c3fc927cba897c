"""The one name for a JSON object whose values are passed on, or checked by whoever takes it apart."""

from typing import Any

JsonObject = dict[str, Any]
