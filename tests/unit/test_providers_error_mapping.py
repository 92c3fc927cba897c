"""What a provider's refusals mean, in the words real providers use."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tertulia.models import errors
from tertulia.models.providers import Endpoint
from tertulia.models.providers.error_mapping import parse_retry_after, provider_error, stream_error

HERE = Endpoint("here", "openai", "http://127.0.0.1", "sk-abcdef123456")


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (400, '{"error": {"code": "context_length_exceeded"}}', errors.PromptTooLong),
        (500, '{"error": {"type": "exceed_context_size_error", "message": "too big"}}', errors.PromptTooLong),
        (400, '{"error": {"message": "Your credit balance is too low"}}', errors.OutOfCredit),
        (429, '{"error": {"code": "insufficient_quota"}}', errors.OutOfCredit),
        (429, '{"error": {"message": "You exceeded your current quota"}}', errors.ProviderBusy),
        (400, '{"error": {"details": [{"reason": "API_KEY_INVALID"}]}}', errors.KeyRejected),
        (400, '{"error": "Incorrect API key provided: xa***ey."}', errors.KeyRejected),
        (400, '{"error": {"message": "foo/bar is not a valid model ID"}}', errors.ModelGone),
        (404, '{"error": "model \\"llama9\\" not found, try pulling it first"}', errors.ModelGone),
        (502, "<html><body>Bad gateway</body></html>", errors.ProviderDown),
        (418, "", errors.ProviderRefused),
    ],
)
def test_the_body_decides_where_the_status_does_not(status: int, body: str, kind: type) -> None:
    assert type(provider_error(HERE, status, body)) is kind


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"type": "overloaded_error", "message": "Overloaded"}, errors.ProviderDown),
        ({"type": "rate_limit_error"}, errors.ProviderBusy),
        ({"code": 402, "message": "Add credits"}, errors.OutOfCredit),
        ({"code": "502", "message": "Provider died"}, errors.ProviderDown),
        ({"code": "invalid_request", "message": "No"}, errors.ProviderRefused),
        ({"status": "RESOURCE_EXHAUSTED"}, errors.ProviderBusy),
        ("model runner stopped", errors.ProviderDown),
        (None, errors.ProviderDown),
    ],
)
def test_an_error_inside_a_stream_has_its_class(error: object, kind: type) -> None:
    assert type(stream_error(HERE, error)) is kind


def test_a_page_of_markup_is_not_quoted() -> None:
    assert "<" not in provider_error(HERE, 502, "<html>Bad gateway</html>").message


def test_a_long_complaint_is_cut() -> None:
    assert len(provider_error(HERE, 400, "no " * 10_000).message) < 500


@given(
    # No word that our own sentences hold, such as "internet".
    key=st.text("abcdefghijklmnopqrstuvwxyz0123456789-_", min_size=5, max_size=40).map("q7x".__add__),
    before=st.text(max_size=20),
)
def test_no_key_is_ever_quoted(key: str, before: str) -> None:
    endpoint = Endpoint("here", "openai", "http://127.0.0.1", key)
    message = provider_error(endpoint, 401, f"{before} Bad key {key}.").message

    assert key not in message
    assert key not in repr(endpoint)


@pytest.mark.parametrize(
    ("headers", "body", "seconds"),
    [
        ({"retry-after": "12"}, "", 12),
        ({"retry-after": "0.5"}, "", 0.5),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}, "", 0),
        ({"retry-after": "soon"}, "", None),
        ({}, '{"error": {"details": [{"retryDelay": "34.5s"}]}}', 34.5),
        ({}, "", None),
    ],
)
def test_how_long_to_wait(headers: dict[str, str], body: str, seconds: float | None) -> None:
    assert parse_retry_after(headers, body) == seconds


@given(status=st.integers(300, 599), body=st.text(max_size=200))
def test_any_refusal_has_a_sentence_that_names_the_provider(status: int, body: str) -> None:
    assert "here" in provider_error(HERE, status, body).message
