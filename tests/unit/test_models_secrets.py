"""Secrets at rest: only this server's key opens them, and only in their own place."""

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tertulia.infra.secrets import REDACTION_MASK, SecretUnreadable, SecretVault, key_from_file, redact
from tertulia.settings import SettingInvalid, Settings

KEY = "a secret key of the operator"


def vault(folder: Path, key: str = KEY) -> SecretVault:
    return SecretVault(Settings(data_dir=folder, provider_env={"TERTULIA_SECRET_KEY": key} if key else {}))


@given(secret=st.text(max_size=200), context=st.text(max_size=50))
def test_what_is_sealed_opens_again_in_its_own_context(secret: str, context: str) -> None:
    safe = vault(Path("unused"))
    sealed = safe.seal(secret, context=context)
    assert safe.open(sealed, context=context) == secret
    assert len(secret) < 8 or secret not in sealed


def test_a_sealed_secret_does_not_open_in_another_place(tmp_path: Path) -> None:
    safe = vault(tmp_path)
    sealed = safe.seal("hidden", context="con_1")
    with pytest.raises(SecretUnreadable):
        safe.open(sealed, context="con_2")


def test_another_servers_key_does_not_open_it_and_the_error_says_what_to_do(tmp_path: Path) -> None:
    sealed = vault(tmp_path).seal("hidden", context="con_1")
    with pytest.raises(SecretUnreadable, match="TERTULIA_SECRET_KEY"):
        vault(tmp_path, "another key of another server").open(sealed, context="con_1")


@given(position=st.integers(0, 60), flip=st.integers(1, 255))
def test_no_changed_byte_goes_unnoticed(position: int, flip: int) -> None:
    safe = vault(Path("unused"))
    sealed = safe.seal("hidden words", context="con_1")
    place = position % len(sealed)
    changed = sealed[:place] + chr(ord(sealed[place]) ^ flip) + sealed[place + 1 :]
    with pytest.raises(SecretUnreadable):
        safe.open(changed, context="con_1")


def test_without_a_given_key_one_is_made_that_only_its_owner_may_read(tmp_path: Path) -> None:
    sealed = vault(tmp_path, key="").seal("hidden", context="c")
    assert stat.S_IMODE((tmp_path / "secret.key").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["secret.key"]
    assert vault(tmp_path, key="").open(sealed, context="c") == "hidden"


def test_processes_that_start_at_once_agree_on_one_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(16) as pool:
        keys = set(pool.map(lambda _: key_from_file(tmp_path / "secret.key"), range(64)))
    assert len(keys) == 1
    assert len(keys.pop()) >= 32


def test_a_key_that_is_too_short_is_refused_at_the_start() -> None:
    with pytest.raises(SettingInvalid, match="TERTULIA_SECRET_KEY"):
        Settings.from_env({"TERTULIA_SECRET_KEY": "short"})


@given(
    secrets=st.lists(st.text("abcdef", min_size=4, max_size=12), max_size=4),
    around=st.text("xyz ", max_size=20),
)
def test_no_secret_is_left_after_redaction(secrets: list[str], around: str) -> None:
    text = around + around.join(secrets) + around
    redacted = redact(text, secrets)
    assert not any(secret in redacted for secret in secrets)
    assert not secrets or REDACTION_MASK in redacted


def test_an_empty_secret_redacts_nothing() -> None:
    assert redact("all stays", ["", "a"]) == "all stays"
