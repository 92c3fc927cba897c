"""How a provider's refusals become our errors.

Providers agree on HTTP statuses only roughly, so what the body says decides
first: a wrong key can be a 400, an empty account a 429.
"""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, cast

import msgspec

from tertulia.core.json_object import JsonObject
from tertulia.core.truncation import truncate
from tertulia.core.untrusted_json import JsonUnreadable, read_json
from tertulia.models.errors import (
    EffortRefused,
    KeyRejected,
    ModelGone,
    OutOfCredit,
    PromptTooLong,
    ProviderBusy,
    ProviderDown,
    ProviderError,
    ProviderRefused,
    TemperatureRefused,
    ToolsUnknown,
)
from tertulia.models.providers.endpoint import Endpoint
from tertulia.models.providers.option_refusals import EFFORT_OPTION, TEMPERATURE_OPTION

PROVIDER_QUOTE_MAX_CHARS = 300

PROMPT_TOO_LONG_PATTERN = re.compile(
    r"context.?(length|size|window|limit)|prompt is too long|request_too_large|maximum prompt length"
    r"|exceeds the maximum number of tokens|input is too long|too many input tokens",
    re.IGNORECASE,
)
NO_CREDIT_PATTERN = re.compile(
    r"insufficient_quota|billing_hard_limit|billing_error|credit balance is too low"
    r"|insufficient (credits|balance|funds)|used all available credits",
    re.IGNORECASE,
)
BAD_KEY_PATTERN = re.compile(r"API_KEY_INVALID|api key not valid|(incorrect|invalid).api.?key", re.IGNORECASE)
NO_MODEL_PATTERN = re.compile(
    r"model_not_found|not a valid model|model .{0,120}(does not exist|not found)", re.IGNORECASE
)
#: Ollama, OpenRouter, vLLM, and what others say much like them.
NO_TOOLS_PATTERN = re.compile(
    r"not support (tools?|function)|support tool use|enable-auto-tool-choice"
    r"|(tools?|functions?)( calling| use)? (is|are) not supported",
    re.IGNORECASE,
)
#: OpenRouter finds nobody who takes an option: a 404.
OPTION_REFUSAL_STATUSES = (400, 404, 422)
API_KEY_LIKE_PATTERN = re.compile(
    r"\b(?:sk|pk|rk|xai|gsk|key)[-_][\w*.-]{6,}|\bAIza[\w*-]{6,}|Bearer\s+\S+", re.IGNORECASE
)
DECIMAL_SECONDS = r"[0-9]{1,9}(?:\.[0-9]{1,9})?"
RETRY_DELAY_PATTERN = re.compile(rf'"retryDelay"\s*:\s*"({DECIMAL_SECONDS})s"')
#: Whoever asks for a longer pause is asked no more before somebody tries again.
RETRY_AFTER_MAX_SECONDS = 86_400.0

#: The status that an error inside a stream stands for, by a word in its type.
STATUS_BY_WORD = {
    "overloaded": 529,
    "rate_limit": 429,
    "resource_exhausted": 429,
    "authentication": 401,
    "permission": 403,
    "unauthenticated": 401,
    "billing": 402,
    "not_found": 404,
    "too_large": 413,
    "invalid": 400,
    "exceed_context": 400,
}


#: The first rule that fits decides.
PROVIDER_ERROR_RULES: tuple[tuple[type[ProviderError], Callable[[int, str], object]], ...] = (
    (
        PromptTooLong,
        lambda status, body: (
            status == 413 or (status in (400, 422, 500) and PROMPT_TOO_LONG_PATTERN.search(body))
        ),
    ),
    (OutOfCredit, lambda status, body: status == 402 or NO_CREDIT_PATTERN.search(body)),
    (
        KeyRejected,
        lambda status, body: status in (401, 403) or (status == 400 and BAD_KEY_PATTERN.search(body)),
    ),
    (
        EffortRefused,
        lambda status, body: status in OPTION_REFUSAL_STATUSES and EFFORT_OPTION.is_refused(body),
    ),
    (
        TemperatureRefused,
        lambda status, body: status in OPTION_REFUSAL_STATUSES and TEMPERATURE_OPTION.is_refused(body),
    ),
    (ToolsUnknown, lambda status, body: status in (400, 404, 422, 501) and NO_TOOLS_PATTERN.search(body)),
    (ModelGone, lambda status, body: status == 404 or (status == 400 and NO_MODEL_PATTERN.search(body))),
    (ProviderBusy, lambda status, _: status == 429),
    (ProviderDown, lambda status, _: status in (408, 409, 425) or status >= 500),
    (ProviderRefused, lambda status, _: True),
)
PROVIDER_ERROR_ADVICE: dict[type[ProviderError], str] = {
    PromptTooLong: "The prompt is too long for {who}: shorten it or pick another model.",
    OutOfCredit: "The account behind the key of {who} has no credit left: top it up.",
    KeyRejected: "{who} does not accept its key: check it in the connection.",
    EffortRefused: "The model cannot be told how long to think at {who}: ask it without an effort.",
    TemperatureRefused: "The model takes no temperature at {who}: ask it without one.",
    ToolsUnknown: "The model can call no tools at {who}: pick another model.",
    ModelGone: "{who} has no such model at its address: pick another one.",
    ProviderBusy: "{who} asks us to slow down: try again later.",
    ProviderDown: "{who} failed with status {status}: try again later.",
    ProviderRefused: "{who} refused the request with status {status}: change it or check the connection.",
}


def provider_error(
    endpoint: Endpoint, status: int, body: str, headers: Mapping[str, str] | None = None
) -> ProviderError:
    """Return the error that an answer with this status and body means."""
    kind = next(kind for kind, fits in PROVIDER_ERROR_RULES if fits(status, body))
    advice = PROVIDER_ERROR_ADVICE[kind].format(who=endpoint.slug, status=status)
    wait = parse_retry_after(headers or {}, body) if kind.retryable else None
    return kind(endpoint.slug, advice + quote_provider(endpoint, body), retry_after=wait)


def stream_error(endpoint: Endpoint, error: object) -> ProviderError:
    """Return the error that an error object in the middle of a good answer means."""
    body = msgspec.json.encode({"error": error}).decode()
    return provider_error(endpoint, status_of(error), body)


def status_of(error: object) -> int:
    """Return the HTTP status an error object stands for: what it says itself, or by its words."""
    if not isinstance(error, dict):
        return 500
    fields = cast("dict[str, object]", error)
    code = fields.get("code")
    if isinstance(code, int | str) and re.fullmatch(r"[45]\d\d", str(code)):
        return int(code)
    words = " ".join(str(fields.get(name, "")) for name in ("type", "code", "status")).lower()
    return next((status for word, status in STATUS_BY_WORD.items() if word in words), 500)


def quote_provider(endpoint: Endpoint, body: str) -> str:
    """Return what the provider said, short and without secrets, as an addition to a sentence."""
    message = " ".join(error_message_in(body).split())
    if not message or message.startswith("<"):
        return ""
    message = redact_keys(endpoint, message)
    return f" It said: {truncate(message, PROVIDER_QUOTE_MAX_CHARS)}"


def redact_keys(endpoint: Endpoint, text: str) -> str:
    """Return `text` without the key, and without anything that looks like one."""
    key = endpoint.key.strip()
    if len(key) >= 4:
        text = text.replace(key, "[key]")
    return API_KEY_LIKE_PATTERN.sub("[key]", text)


def error_message_in(body: str) -> str:
    """Return the sentence inside an error body, or the body where there is none."""
    try:
        found: Any = read_json(body)
    except JsonUnreadable:
        return body
    if isinstance(found, list) and found:
        found = cast("list[Any]", found)[0]
    while isinstance(found, dict):
        fields = cast("JsonObject", found)
        found = next((fields[name] for name in ("error", "message", "detail") if fields.get(name)), None)
    return found if isinstance(found, str) else body


def parse_retry_after(headers: Mapping[str, str], body: str = "") -> float | None:
    """Return how many seconds the provider asks us to wait, if it says."""
    header = headers.get("retry-after", "").strip()
    if re.fullmatch(DECIMAL_SECONDS, header):
        return min(float(header), RETRY_AFTER_MAX_SECONDS)
    if header:
        return seconds_until(header)
    delay = RETRY_DELAY_PATTERN.search(body)
    return min(float(delay[1]), RETRY_AFTER_MAX_SECONDS) if delay else None


def seconds_until(date: str) -> float | None:
    """Return how far an HTTP date lies ahead, or None where it is no date."""
    try:
        moment = parsedate_to_datetime(date)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        ahead = (moment - datetime.now(UTC)).total_seconds()
    # The parser raises several kinds of errors for what is no date.
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return None
    return min(max(0.0, ahead), RETRY_AFTER_MAX_SECONDS)
