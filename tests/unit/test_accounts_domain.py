"""The rules about people that need no database."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tertulia.accounts import passwords
from tertulia.accounts.bearer_secrets import TOKEN_PREFIX, is_secret, new_secret
from tertulia.accounts.domain import EMAIL_MAX_CHARS, check_manages, normalise_email
from tertulia.accounts.errors import EmailInvalid, PasswordUnfit, RoleTooHigh
from tertulia.accounts.throttle import (
    FREE_SIGN_INS_PER_ACCOUNT,
    SIGN_IN_WAIT_MAX,
    SignInFailures,
    address_group,
)
from tertulia.core.principal import Role

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@given(st.emails())
def test_an_email_has_one_normal_form(email: str) -> None:
    try:
        normal = normalise_email(email)
    except EmailInvalid:
        return
    assert normal == normalise_email(normal) == normalise_email(f"  {email.upper()} ")
    assert normal == normal.lower()
    assert len(normal) <= EMAIL_MAX_CHARS


@given(st.text())
def test_what_is_taken_for_an_email_is_plain_ascii_with_one_at_sign(text: str) -> None:
    try:
        normal = normalise_email(text)
    except EmailInvalid:
        return
    assert normal.isascii()
    assert normal.isprintable()
    assert normal.count("@") == 1


@pytest.mark.parametrize(
    "text",
    ["", "ana", "@example.org", "ana@", "a b@example.org", "ana@exa mple.org", "ana@-x.org", "ana@x..org",
     "ana@example.org\nbcc: eve@example.org", "\u0430na@example.org", "ana@ex\u00e4mple.org",
     "K\u212a@example.org", f"{'a' * 65}@example.org", f"ana@{'a.' * 130}org", "ana@example.org\x00"],
)  # fmt: skip
def test_what_is_no_email_is_refused(text: str) -> None:
    with pytest.raises(EmailInvalid):
        normalise_email(text)


def test_owners_manage_everyone_admins_those_below_them_and_the_rest_nobody() -> None:
    managed = {role: {other for other in Role if manages(role, other)} for role in Role}

    assert managed == {
        Role.OWNER: set(Role),
        Role.ADMIN: {Role.MEMBER, Role.VIEWER},
        Role.MEMBER: set(),
        Role.VIEWER: set(),
    }


@given(st.text(max_size=1100))
def test_a_fit_password_has_ten_to_1024_characters_and_is_not_the_email(password: str) -> None:
    try:
        passwords.check_strength(password, email="someone@example.org")
    except PasswordUnfit:
        surrogates = any("\ud800" <= character <= "\udfff" for character in password)
        assert not 10 <= len(password) <= 1024 or surrogates
    else:
        assert 10 <= len(password) <= 1024


@pytest.mark.parametrize(
    "password", ["Someone@example.org", " someone@example.org ", "lone \ud800 surrogate"]
)
def test_an_email_or_broken_text_is_no_password(password: str) -> None:
    with pytest.raises(PasswordUnfit):
        passwords.check_strength(password, email="someone@example.org")


def test_secrets_differ_and_are_known_by_their_form() -> None:
    secrets = {new_secret(TOKEN_PREFIX) for _ in range(100)}

    assert len(secrets) == 100
    assert all(is_secret(secret, TOKEN_PREFIX) and len(secret) == 47 for secret in secrets)


@given(st.text(), st.integers(0, 46))
def test_a_secret_with_anything_added_or_cut_off_has_no_longer_its_form(extra: str, end: int) -> None:
    secret = new_secret(TOKEN_PREFIX)

    assert not is_secret(secret[:end], TOKEN_PREFIX)
    assert not is_secret(secret + extra, TOKEN_PREFIX) or not extra
    assert not is_secret(secret + "\n", TOKEN_PREFIX)


@given(st.integers(0, 10_000))
def test_the_wait_grows_with_every_failure_up_to_its_longest(count: int) -> None:
    wait, longer = (
        SignInFailures(n, NOW).time_to_wait(FREE_SIGN_INS_PER_ACCOUNT, NOW) for n in (count, count + 1)
    )

    assert timedelta(0) <= wait <= longer <= SIGN_IN_WAIT_MAX
    assert (wait == timedelta(0)) is (count < FREE_SIGN_INS_PER_ACCOUNT)


def test_one_household_is_one_address() -> None:
    assert address_group("2001:db8::1") == address_group("2001:db8:0:0:ffff::2")
    assert address_group("2001:db8::1") != address_group("2001:db8:0:1::1")
    assert address_group("::ffff:192.0.2.1") == address_group("192.0.2.1") != address_group("192.0.2.2")
    assert address_group("unix") == "unix"


def manages(role: Role, other: Role) -> bool:
    try:
        check_manages(role, other)
    except RoleTooHigh:
        return False
    return True
