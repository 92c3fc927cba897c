"""Which addresses a connection may have."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tertulia.models.connection_urls import check_base_url, is_private_url
from tertulia.models.errors import ConnectionInvalid


@pytest.mark.parametrize(
    "url",
    [
        "https://api.example.com/v1",
        "http://127.0.0.1:11434/v1",
        "http://localhost:1234",
        "http://[::1]:8080/v1",
        "http://192.168.1.20:8000/v1",
        "http://ollama:11434",
        "http://host.docker.internal:11434/v1",
        "https://8.8.8.8/v1",
    ],
)
def test_servers_of_ones_own_and_encrypted_ones_are_allowed(url: str) -> None:
    assert check_base_url(url + "/") == url


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.com",
        "ftp://example.com",
        "file:///etc/passwd",
        "gopher://127.0.0.1",
        "https://",
        "https://user:secret@example.com",
        "https://user@example.com",
        "https://example.com/?key=1",
        "https://example.com/#part",
        "https://exa mple.com",
        "https://example.com\\@evil.com",
        "https://example.com:99999",
        "https://" + "a" * 600,
        "http://example.com/v1",
        "http://8.8.8.8/v1",
        "https://exämple.com",
    ],
)
def test_what_is_no_plain_address_or_gives_keys_away_is_refused(url: str) -> None:
    with pytest.raises(ConnectionInvalid):
        check_base_url(url)


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize(
    "host",
    [
        "169.254.169.254",
        "169.254.0.1",
        "2852039166",
        "0xA9FEA9FE",
        "0251.0376.0251.0376",
        "169.254.43518",
        "[::ffff:169.254.169.254]",
        "[::ffff:a9fe:a9fe]",
        "[fe80::1]",
        "[fd00:ec2::254]",
        "100.100.100.200",
        "168.63.129.16",
        "metadata.google.internal",
        "METADATA.GOOGLE.INTERNAL.",
        "0.0.0.0",
        "[::]",
        "224.0.0.1",
    ],
)
def test_where_clouds_keep_credentials_is_refused_in_every_spelling(scheme: str, host: str) -> None:
    for trusted in (False, True):
        with pytest.raises(ConnectionInvalid):
            check_base_url(f"{scheme}://{host}/latest", trusted=trusted)


@given(tail=st.tuples(st.integers(0, 255), st.integers(0, 255)))
def test_no_link_local_address_passes_as_a_number_either(tail: tuple[int, int]) -> None:
    number = (169 << 24) + (254 << 16) + (tail[0] << 8) + tail[1]
    for host in (str(number), hex(number)):
        with pytest.raises(ConnectionInvalid):
            check_base_url(f"http://{host}/")


def test_the_operator_may_use_http_anywhere() -> None:
    assert check_base_url("http://models.example.com/v1", trusted=True) == "http://models.example.com/v1"


@given(st.text(max_size=80))
def test_any_text_is_an_address_or_properly_refused(text: str) -> None:
    for candidate in (text, f"https://{text}"):
        try:
            checked = check_base_url(candidate)
        except ConnectionInvalid as error:
            checked = f"https://refused {error.message}"
        assert checked.startswith(("http://", "https://"))


def test_only_what_is_surely_near_counts_as_private() -> None:
    assert is_private_url("http://127.1:80")
    assert is_private_url("http://10.1.2.3/v1")
    assert not is_private_url("https://127.0.0.1.example.com")
    assert not is_private_url("https://8.8.8.8")
