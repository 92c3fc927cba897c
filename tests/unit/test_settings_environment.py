"""What the environment says is right at the start, or stops it with a sentence."""

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tertulia.cli import main
from tertulia.settings import (
    NOT_FROM_ONE_VARIABLE,
    RetrievalFlags,
    SettingInvalid,
    Settings,
    variable_name,
)

NUMBERS = {
    f"{prefix}_{one.name.upper()}": (kind, one)
    for prefix, kind in (("TERTULIA", Settings), ("RAG", RetrievalFlags))
    for one in fields(kind)
    if "range" in one.metadata
}
SWITCHES = [f"RAG_{one.name.upper()}" for one in fields(RetrievalFlags) if one.type is bool]
#: Every variable that sets a field, and the field.
VARIABLES = {
    variable_name(one, prefix): one
    for prefix, kind in (("TERTULIA", Settings), ("RAG", RetrievalFlags))
    for one in fields(kind)
    if one.name not in NOT_FROM_ONE_VARIABLE
}
WRONG_NUMBERS = ["many", "nan", "-nan", "inf", "-inf", "1e400", "0x10", "1,000", "-1", "1 2", "off", "None"]
WRONG_SWITCHES = ["perhaps", "2", "-1", "nan", "tru", "on off"]
#: What cannot be, of settings that are neither numbers nor switches; each of them has its line here.
WRONG_TEXTS = {
    "TERTULIA_DATA_DIR": ["~nobody-of-that-name/data"],
    "DATABASE_URL": ["mysql://canary@host/db", "postgresql://", "canary", "postgresql://a:ca@nary@host/x"],
    "REDIS_URL": ["http://canary", "redis://:canary/2@host:6379", "canary", "redis://"],
    "TERTULIA_PUBLIC_URL": [
        "ai.example.org",
        "ftp://ai.example.org",
        "https://",
        "https://a.example.org:port",
        "https://a.example.org:99999",
        "http://[::1",
        "https://a.example.org?q=1",
        "https://me:canary@a.example.org",
        "https://a b",
    ],
    "TERTULIA_LOG_LEVEL": ["loud", "10"],
    "TERTULIA_EMBEDDER": ["none", "/model", "openai/"],
    "TERTULIA_UTILITY_MODEL": ["two words", "/model", "x" * 301],
    "TERTULIA_BLOBS": ["nothing://bucket"],
    "TERTULIA_PRIVATE_HOSTS": ["10.0.0.300", "a b", "http://gpu", "10.0.0.0/99"],
    "TERTULIA_TRUSTED_PROXIES": ["*", "proxy.example.org", "10.0.0.0/99"],
    "TERTULIA_SMTP_URL": [
        "mail.example.org",
        "https://me:canary@mail.example.org",
        "smtp://me:canary@",
        "smtp://me:canary@mail.example.org:port",
        "smtp://me:can/ary@mail.example.org",
        "smtp://me:canary%@mail.example.org",
        "smtp://me:canary@mail.example.org",
    ],
    "TERTULIA_SMTP_FROM": ["nobody", "Tertulia <>", "a@example.org, b@example.org"],
    "TERTULIA_PUSH_CONTACT": ["nobody", "http://example.org", "mailto:"],
}
#: Variables that set no field of ours.
WRONG_ELSEWHERE = {
    "TERTULIA_SECRET_KEY": ["canary"],
    "HTTPS_PROXY": [
        "socks5://canary:1080",
        "ftp://proxy",
        "http://",
        "http://me:canary@proxy:port",
        "http://[::1",
    ],
    "http_proxy": ["gopher://canary", "a b"],
}


def wrong_values(name: str, field: Any) -> list[str]:
    """Return what a setting cannot be: of numbers what is none, and the neighbours of its range."""
    if "range" not in field.metadata:
        return WRONG_SWITCHES if field.type is bool else WRONG_TEXTS[name]
    least, most = field.metadata["range"]
    step = 1 if field.type is int else 1e-3
    beside = [repr(least - step), repr(most + max(step, most * 1e-9))]
    return [*WRONG_NUMBERS, *beside, *(["1.5", "2.0001"] if field.type is int else [])]


WRONG = {name: wrong_values(name, field) for name, field in VARIABLES.items()} | WRONG_ELSEWHERE


@pytest.mark.parametrize(("name", "text"), [(name, text) for name in WRONG for text in WRONG[name]])
def test_a_wrong_value_stops_the_start_with_a_sentence(name: str, text: str) -> None:
    with pytest.raises(SettingInvalid) as refused:
        Settings.from_env({name: text})
    told = refused.value.message
    assert told.startswith(f"{name} ")
    assert told.endswith(".")
    assert " must " in told or " needs " in told or " names " in told, "it says what is allowed"
    assert "canary" not in told, "it shows no secret"


@pytest.mark.parametrize("name", VARIABLES)
@pytest.mark.parametrize("text", ["", "  ", "\t\n"])
def test_an_empty_value_leaves_the_default(name: str, text: str) -> None:
    read = Settings.from_env({name: text})
    assert replace(read, provider_env={}) == Settings.from_env({})


def test_the_command_says_which_value_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TERTULIA_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("RAG_TOKEN_BUDGET", "lots")
    monkeypatch.setattr("sys.argv", ["tertulia", "serve"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    assert capsys.readouterr().err.startswith("RAG_TOKEN_BUDGET must be a whole number")
    assert not (tmp_path / "data").exists()


def test_every_number_has_a_range() -> None:
    numbers = {
        one.name for kind in (Settings, RetrievalFlags) for one in fields(kind) if one.type in (int, float)
    }
    assert numbers <= {one.name for _, one in NUMBERS.values()}


@given(name=st.sampled_from(sorted(NUMBERS)), value=st.floats(allow_nan=True))
def test_a_number_lies_in_its_range_or_stops_the_start(name: str, value: float) -> None:
    kind, one = NUMBERS[name]
    least, most = one.metadata["range"]
    fits = least <= value <= most and (one.type is not int or value.is_integer())
    try:
        read = Settings.from_env({name: repr(value)})
    except SettingInvalid:
        assert not fits
    else:
        assert fits
        assert getattr(read if kind is Settings else read.retrieval, one.name) == value


def test_every_part_of_search_can_be_set() -> None:
    values = dict.fromkeys(SWITCHES, "off") | {"RAG_TOKEN_BUDGET": "0", "RAG_RERANK_GAMMA": "0.5"}
    read = Settings.from_env(values).retrieval
    assert not any(getattr(read, name.removeprefix("RAG_").lower()) for name in SWITCHES)
    assert (read.token_budget, read.rerank_gamma, read.rerank_alpha) == (0, 0.5, None)
