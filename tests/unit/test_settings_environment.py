"""What the environment says is right at the start, or stops it with a sentence."""

from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tertulia.cli import main
from tertulia.settings import RetrievalFlags, SettingInvalid, Settings

NUMBERS = {
    f"{prefix}_{one.name.upper()}": (kind, one)
    for prefix, kind in (("TERTULIA", Settings), ("RAG", RetrievalFlags))
    for one in fields(kind)
    if "range" in one.metadata
}
SWITCHES = [f"RAG_{one.name.upper()}" for one in fields(RetrievalFlags) if one.type is bool]
WRONG = {
    "RAG_TOKEN_BUDGET": ["-1", "100001", "many", "1.5", "nan", "inf", "0x10"],
    "RAG_SUMMARY_FREQUENCY": ["-1", "1001", "five"],
    "RAG_RERANK_ALPHA": ["-0.1", "1.1", "nan", "half"],
    "RAG_HYBRID": ["perhaps", "2"],
    "TERTULIA_SESSION_DAYS": ["0", "1e9", "2.5"],
    "TERTULIA_LEASE_SECONDS": ["0", "-1", "1e300"],
    "TERTULIA_FILE_VERSIONS": ["0"],
    "TERTULIA_PUBLIC_URL": ["ai.example.org", "ftp://ai.example.org", "https://"],
    "TERTULIA_BLOBS": ["nothing://bucket"],
    "TERTULIA_SECRET_KEY": ["short"],
    "TERTULIA_TRUSTED_PROXIES": ["*", "proxy.example.org", "10.0.0.0/99"],
    "TERTULIA_PRIVATE_HOSTS": ["10.0.0.300", "a b", "http://gpu", "10.0.0.0/99"],
    "HTTPS_PROXY": ["socks5://proxy:1080", "ftp://proxy"],
    "http_proxy": ["gopher://proxy"],
}


@pytest.mark.parametrize(("name", "text"), [(name, text) for name in WRONG for text in WRONG[name]])
def test_a_wrong_value_stops_the_start_with_a_sentence(name: str, text: str) -> None:
    with pytest.raises(SettingInvalid) as refused:
        Settings.from_env({name: text})
    assert refused.value.message.startswith(name)
    assert refused.value.message.endswith(".")


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
