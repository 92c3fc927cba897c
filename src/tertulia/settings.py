"""The environment, read once."""

import ipaddress
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields
from email.utils import getaddresses
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from tertulia.core.errors import Invalid

HOST_NAME_PATTERN = re.compile(r"[a-z0-9]([a-z0-9_-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9_-]*[a-z0-9])?)*")
#: A model's id: whether a provider has such a model is known when it is asked.
MODEL_ID_PATTERN = re.compile(r"[^\s/\x00-\x1f\x7f][^\s\x00-\x1f\x7f]{0,299}")
#: Fields of `Settings` that hold the environment itself, or a group of settings.
NOT_FROM_ONE_VARIABLE = ("provider_env", "retrieval")
KEY_VARIABLE = "TERTULIA_SECRET_KEY"
SECRET_KEY_MIN_CHARS = 16
PROXY_VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
#: Encrypted once it is connected, from the first byte on, or not at all.
SMTP_SCHEMES = ("smtp", "smtps", "smtp+plain")
EMAIL_PATTERN = re.compile(r"[^@\s<>,;:\"()\x00-\x1f\x7f]+@[^@\s<>,;:\"()\x00-\x1f\x7f]+")
LOG_LEVELS = ("debug", "info", "warning", "error", "critical")
#: Hosts of a PostgreSQL address, with a port or without: names, addresses, folders of sockets.
DATABASE_HOSTS_PATTERN = re.compile(r"(?:(?:\[[^][]*\]|[^][:@,]*)(?::\d*)?(?:,(?!$)|$))*")
#: A percent sign that does not begin the code of a character, or begins that of none.
WRONG_PERCENT_PATTERN = re.compile(r"%(?![0-9A-Fa-f]{2})|%00")


T = TypeVar("T")


class SettingInvalid(Invalid):
    """An environment variable holds something we cannot use."""

    code = "setting_invalid"


def default_data_dir(env: Mapping[str, str]) -> Path:
    """Return where data lives when nobody says: the place the platform keeps for it."""
    base = env.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(base) / "tertulia"


def bounded_number(default: T, minimum: float, maximum: float) -> T:
    """Return the field of a number that must lie between `minimum` and `maximum`."""
    return field(default=default, metadata={"range": (minimum, maximum)})


@dataclass(frozen=True, slots=True)
class RetrievalFlags:
    """What search does, from `RAG_…`; a workspace may decide otherwise. Each part can be off alone."""

    #: Words and meanings together; off, only meanings are searched.
    hybrid: bool = True
    #: Long messages in pieces; off, each is found as a whole.
    chunking: bool = True
    #: Files by their structure; off, in pieces of fifty lines.
    structure: bool = True
    dense: bool = True
    rerank: bool = True
    #: Look once more for the names that the best messages have.
    follow_names: bool = True
    #: Have the utility model write sub-questions of a question, and look for each of them too.
    multi_query: bool = False
    #: Have it write what an answer might say (hypothetical document embedding), and look for its meaning too.
    hyde: bool = False
    #: Tokens of retrieved passages that a model is shown; 0 shows none.
    token_budget: int = bounded_number(1000, 0, 100_000)
    summary_frequency: int = bounded_number(5, 0, 1000)
    #: Weights of meaning, words and identifiers. Unset, they depend on what is asked and found.
    rerank_alpha: float | None = bounded_number(None, 0, 1)
    rerank_beta: float | None = bounded_number(None, 0, 1)
    rerank_gamma: float | None = bounded_number(None, 0, 1)


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything the environment decides. `docs/guide/settings.md` explains each."""

    data_dir: Path
    #: The environment itself, for the provider keys that people already have there.
    provider_env: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    #: The PostgreSQL database; without it the data are in a file of SQLite's.
    database_url: str = field(default="", metadata={"variable": "DATABASE_URL"}, repr=False)
    #: How many connections a process holds to it; half of them read and half write.
    database_connections: int = bounded_number(10, 2, 1000)
    #: Whether its statements are prepared: not by way of a pooler that cannot keep them.
    database_prepares: bool = True
    #: Where processes that share a database tell each other what is new; without it they look by themselves.
    redis_url: str = field(default="", metadata={"variable": "REDIS_URL"}, repr=False)
    public_url: str = ""
    log_level: str = "info"
    busy_seconds: float = bounded_number(15, 0, 3600)
    #: A provider that says nothing for so long is given up.
    silence_seconds: float = bounded_number(120, 0.1, 86_400)
    #: How often a failing provider is asked again before its first word.
    provider_retries: int = bounded_number(3, 0, 20)
    lease_seconds: float = bounded_number(15, 0.1, 3600)
    drain_seconds: float = bounded_number(10, 0, 3600)
    session_days: int = bounded_number(30, 1, 3650)
    lanes_per_person: int = bounded_number(500, 1, 1_000_000)
    lanes_per_workspace: int = bounded_number(2000, 1, 1_000_000)
    #: How many characters one reply may have, with its thinking; exports take no more in one text.
    reply_max_chars: int = bounded_number(5_000_000, 1_000, 20_000_000)
    #: How many models one round may ask.
    models_per_round: int = bounded_number(64, 1, 1000)
    #: Connections that are held at once, in all and from one address that is no proxy.
    connections: int = bounded_number(10_000, 1, 1_000_000)
    connections_per_address: int = bounded_number(1_000, 1, 1_000_000)
    #: From the first byte of a connection, or of a further request on it, to the end of the headers.
    head_seconds: float = bounded_number(20, 0.1, 3_600)
    #: A body that brings next to nothing for so long is given up.
    body_seconds: float = bounded_number(30, 0.1, 3_600)
    #: A client that takes nothing of what waits for it for so long is let go.
    write_seconds: float = bounded_number(60, 0.1, 3_600)
    #: A connection without a request is closed after so long.
    idle_seconds: float = bounded_number(65, 1, 3_600)
    builtin_model: bool = True
    discover_local: bool = True
    utility_model: str = ""
    #: Who makes vectors of texts: ours, nobody, or a connection's model.
    embedder: str = "builtin"
    #: Where large files lie, in any way that fsspec speaks; empty for a folder among the data.
    blobs: str = ""
    largest_file: int = bounded_number(500_000_000, 1, 10**12)
    #: How much an archive may hold once it is unpacked.
    largest_archive: int = bounded_number(2_000_000_000, 1, 10**13)
    #: How many versions of a file are kept; the oldest go first.
    file_versions: int = bounded_number(100, 1, 1_000_000)
    #: Whether models may run code, in isolation.
    sandbox: bool = True
    #: Whether admins of workspaces may have programs run on this machine that offer tools.
    tool_programs: bool = False
    #: Names, addresses and networks of our own network that anyone here may connect to.
    private_hosts: tuple[str, ...] = ()
    #: The addresses and networks of proxies that are believed when they say whom they ask for.
    trusted_proxies: tuple[str, ...] = ()
    #: The mail server for reminders; without it none are sent by e-mail.
    smtp_url: str = field(default="", repr=False)
    #: Whom those e-mails come from.
    smtp_from: str = ""
    #: Whether browsers may be sent notifications, by way of the push services of their makers.
    push: bool = True
    #: Where those services reach whoever runs this server: an e-mail or web address.
    push_contact: str = ""
    #: What search does where a workspace has not decided for itself.
    retrieval: RetrievalFlags = RetrievalFlags()

    @classmethod
    def from_env(cls, env: Mapping[str, str] | None = None) -> "Settings":
        """Read everything that the environment decides, and say plainly which name is wrong if one is."""
        env = os.environ if env is None else env
        check_secret_key(env)
        check_proxies(env)
        given: dict[str, Any] = {
            "data_dir": default_data_dir(env),
            "provider_env": dict(env),
            "retrieval": RetrievalFlags(**read_settings(RetrievalFlags, "RAG", env)),
        }
        settings = cls(**given | read_settings(cls, "TERTULIA", env))
        check_mail(settings)
        return settings

    @property
    def database(self) -> Path:
        """Return where the database file is."""
        return self.data_dir / "tertulia.db"

    @property
    def is_shared(self) -> bool:
        """Tell whether other processes may work with the same database at the same time."""
        return bool(self.database_url)


def read_settings(settings_class: Any, prefix: str, env: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of a dataclass that the environment sets, as `PREFIX_NAME` or by their own name.

    An empty value is none: the default holds.
    """
    names = {variable_name(field_, prefix): field_ for field_ in fields(settings_class)}
    return {
        field_.name: parse_setting(name, env[name].strip(), field_)
        for name, field_ in names.items()
        if env.get(name, "").strip() and field_.name not in NOT_FROM_ONE_VARIABLE
    }


def variable_name(field_: Field[Any], prefix: str = "TERTULIA") -> str:
    """Return the environment variable that sets a field: a name of its own, or its name after the prefix."""
    return str(field_.metadata.get("variable", f"{prefix}_{field_.name.upper()}"))


def parse_setting(name: str, text: str, field_: Field[Any]) -> Any:
    """Return a setting as a value of its kind, or raise."""
    if "range" in field_.metadata:
        return parse_number(name, text, *field_.metadata["range"], is_whole=field_.type is int)
    reader = SETTING_PARSERS_BY_NAME.get(field_.name) or SETTING_PARSERS_BY_TYPE[field_.type]
    return reader(name, text)


def parse_path(name: str, text: str) -> Path:
    """Return the path of a folder."""
    try:
        return Path(text).expanduser()
    except RuntimeError:
        message = f"{name} must be the path of a folder; nobody's home is found for {text!r}."
        raise SettingInvalid(message, name=name) from None


def parse_model(name: str, text: str) -> str:
    """Return the id of a model, with its connection or without."""
    if not MODEL_ID_PATTERN.fullmatch(text):
        message = f"{name} must be the id of a model such as openai/gpt-5-mini, not {text!r}."
        raise SettingInvalid(message, name=name)
    return text


def parse_log_level(name: str, text: str) -> str:
    """Return how much is logged."""
    if text.lower() not in LOG_LEVELS:
        raise SettingInvalid(f"{name} must be one of {', '.join(LOG_LEVELS)}, not {text!r}.", name=name)
    return text


def parse_embedder(name: str, text: str) -> str:
    """Return who makes vectors: `builtin`, `off`, or a connection and its model."""
    if text.strip().lower() in ("builtin", "off"):
        return text.strip().lower()
    connection, _, model = text.strip().partition("/")
    if not connection or not model:
        such = "a connection and a model such as openai/text-embedding-3-small"
        raise SettingInvalid(f"{name} must be builtin, off, or {such}, not {text!r}.", name=name)
    return text.strip()


def parse_hosts(name: str, text: str) -> tuple[str, ...]:
    """Return a list of host names, addresses and networks, separated by commas."""
    entries = tuple(entry.strip().lower() for entry in text.split(",") if entry.strip())
    for entry in entries:
        if not is_network(entry) and not is_host_name(entry):
            example = "such as gpu.example.org, 192.168.1.20 or 10.0.0.0/8"
            message = f"{name} must hold names, addresses and networks {example}, not {entry!r}."
            raise SettingInvalid(message, name=name)
    return entries


def parse_trusted_proxies(name: str, text: str) -> tuple[str, ...]:
    """Return a list of addresses and networks, separated by commas."""
    entries = [entry.strip() for entry in text.split(",") if entry.strip()]
    if wrong := [entry for entry in entries if not is_network(entry)]:
        example = "such as 127.0.0.1 or 10.0.0.0/8"
        raise SettingInvalid(
            f"{name} must hold addresses and networks {example}, not {wrong[0]!r}.", name=name
        )
    return tuple(str(ipaddress.ip_network(entry, strict=False)) for entry in entries)


def is_host_name(text: str) -> bool:
    """Tell whether a text is a host's name, and no address that was mistyped."""
    return HOST_NAME_PATTERN.fullmatch(text) is not None and not text.rpartition(".")[2].isdigit()


def is_network(text: str) -> bool:
    """Tell whether a text is an address or a network."""
    try:
        ipaddress.ip_network(text, strict=False)
    except ValueError:
        return False
    return True


def parse_public_url(name: str, text: str) -> str:
    """Return the address that people use."""
    if not is_web_url(text) or urlsplit(text).username or re.search(r"[?#]", text):
        raise SettingInvalid(f"{name} must be an address such as https://ai.example.org.", name=name)
    return text.rstrip("/")


def is_web_url(text: str) -> bool:
    """Tell whether a text is an address that HTTP reaches."""
    try:
        parts = urlsplit(text)
        return (
            parts.scheme.lower() in ("http", "https")
            and bool(parts.hostname)
            and parts.port != 0
            and not re.search(r"\s", text)
        )
    except ValueError:
        return False


def parse_database_url(name: str, text: str) -> str:
    """Return the address of a PostgreSQL database; what is wrong with it is told without showing it."""
    scheme, colon, rest = text.strip().partition("://")
    example = "postgresql://user:password@host:5432/tertulia"
    if scheme.lower() not in ("postgresql", "postgres") or not colon or not rest:
        raise SettingInvalid(f"{name} must be an address such as {example}.", name=name)
    login, _, hosts = rest.partition("/")[0].rpartition("@")
    # The driver would take what comes after a wrong character for another part, and show that.
    hosts = hosts.partition("?")[0]
    if "@" in login or not DATABASE_HOSTS_PATTERN.fullmatch(hosts) or WRONG_PERCENT_PATTERN.search(rest):
        raise SettingInvalid(
            f"{name} must be an address such as {example}. In a user or password write %40 for @, "
            "%2F for /, %3A for : and %25 for %.",
            name=name,
        )
    return f"postgresql://{rest}"


def parse_redis_url(name: str, text: str) -> str:
    """Return the address of a Valkey or Redis server, as the client knows it."""
    scheme, colon, rest = text.strip().partition("://")
    scheme = scheme.lower().replace("valkey", "redis")
    if scheme not in ("redis", "rediss", "unix") or not colon or not rest:
        raise SettingInvalid(
            f"{name} must be an address such as redis://127.0.0.1:6379, rediss://… or unix:///run/valkey.sock.",
            name=name,
        )
    url = f"{scheme}://{rest}"
    if not has_valid_port(url):
        raise SettingInvalid(
            f"{name} must be an address such as redis://:password@127.0.0.1:6379. In a password write "
            "%2F for /, %3F for ?, %23 for # and %25 for %.",
            name=name,
        )
    return url


def parse_smtp_url(name: str, text: str) -> str:
    """Return the address of a mail server; what is wrong with it is told without showing it."""
    scheme, colon, rest = text.strip().partition("://")
    url = f"{scheme.lower()}://{rest}"
    is_bare = bool(rest) and not re.search(r"[\s\x00-\x1f\x7f/?#]", rest.rstrip("/"))
    if scheme.lower() not in SMTP_SCHEMES or not colon or not is_bare or not has_valid_port(url):
        raise SettingInvalid(
            f"{name} must be an address such as smtp://user:password@mail.example.org:587 or "
            "smtps://mail.example.org. In a user or password write %40 for @, %2F for /, %3A for :, "
            "%3F for ?, %23 for # and %25 for %.",
            name=name,
        )
    if not urlsplit(url).hostname or WRONG_PERCENT_PATTERN.search(rest):
        raise SettingInvalid(
            f"{name} names no mail server, or has a percent sign that is no code.", name=name
        )
    return url.rstrip("/")


def parse_smtp_from(name: str, text: str) -> str:
    """Return the address that e-mails come from, with a name or without."""
    addresses = [address for _, address in getaddresses([text])]
    if not text.isprintable() or len(addresses) != 1 or not EMAIL_PATTERN.fullmatch(addresses[0]):
        message = f"{name} must be an address such as Tertulia <tertulia@example.org>, not {text!r}."
        raise SettingInvalid(message, name=name)
    return text


def parse_push_contact(name: str, text: str) -> str:
    """Return an e-mail address or a web address, as a URL."""
    address = text.removeprefix("mailto:")
    if EMAIL_PATTERN.fullmatch(address):
        return f"mailto:{address}"
    if not is_web_url(text) or not text.startswith("https://"):
        message = f"{name} must be an address such as admin@example.org or https://example.org, not {text!r}."
        raise SettingInvalid(message, name=name)
    return text


def has_valid_port(url: str) -> bool:
    """Tell whether what stands in the place of a port is one, or nothing is."""
    try:
        _ = urlsplit(url).port
    except ValueError:
        return False
    return True


def parse_blob_store(name: str, text: str) -> str:
    """Return the address of a store for large files that can be used with what is installed."""
    find_store = import_module("fsspec.registry").get_filesystem_class
    for part in text.split("::"):
        protocol, colon, _ = part.partition("://")
        try:
            find_store(protocol if colon else "file")
        except (ValueError, ImportError) as error:
            raise SettingInvalid(f"{name} names a store that cannot be used: {error}.", name=name) from error
    return text.rstrip("/")


def check_secret_key(env: Mapping[str, str]) -> None:
    """Raise where the key that seals stored secrets is too short to keep any."""
    if 0 < len(env.get(KEY_VARIABLE, "").strip()) < SECRET_KEY_MIN_CHARS:
        message = f"{KEY_VARIABLE} needs at least {SECRET_KEY_MIN_CHARS} characters."
        raise SettingInvalid(message, name=KEY_VARIABLE)


def check_proxies(env: Mapping[str, str]) -> None:
    """Raise where a proxy is named that requests cannot go through."""
    for name in (*PROXY_VARIABLES, *map(str.lower, PROXY_VARIABLES)):
        text = env.get(name, "").strip()
        if text and not is_web_url(text if "://" in text else f"http://{text}"):
            raise SettingInvalid(
                f"{name} must be an address such as http://proxy.example.org:3128.", name=name
            )


def check_mail(settings: Settings) -> None:
    """Raise where there is a mail server, and nobody whom its e-mails come from."""
    if settings.smtp_url and not settings.smtp_from:
        message = "TERTULIA_SMTP_URL needs TERTULIA_SMTP_FROM, such as Tertulia <tertulia@example.org>."
        raise SettingInvalid(message, name="TERTULIA_SMTP_FROM")


def parse_number(name: str, text: str, minimum: float, maximum: float, *, is_whole: bool) -> float:
    """Return a setting that must be a number in its range."""
    try:
        value = float(text)
        if not minimum <= value <= maximum or (is_whole and not value.is_integer()):
            raise ValueError
    except ValueError:
        kind = "whole number" if is_whole else "number"
        message = f"{name} must be a {kind} between {minimum:,} and {maximum:,}, not {text!r}."
        raise SettingInvalid(message, name=name) from None
    return int(value) if is_whole else value


def parse_switch(name: str, text: str) -> bool:
    """Return a setting that is on or off."""
    known = {"1": True, "true": True, "yes": True, "on": True}
    known |= {"0": False, "false": False, "no": False, "off": False}
    if text.strip().lower() not in known:
        raise SettingInvalid(f"{name} must be on or off, not {text!r}.", name=name)
    return known[text.strip().lower()]


#: How the text of a setting is read: by its name, else by its kind.
SETTING_PARSERS_BY_NAME: dict[str, Callable[[str, str], Any]] = {
    "log_level": parse_log_level,
    "embedder": parse_embedder,
    "utility_model": parse_model,
    "public_url": parse_public_url,
    "blobs": parse_blob_store,
    "database_url": parse_database_url,
    "redis_url": parse_redis_url,
    "trusted_proxies": parse_trusted_proxies,
    "smtp_url": parse_smtp_url,
    "smtp_from": parse_smtp_from,
    "push_contact": parse_push_contact,
}
SETTING_PARSERS_BY_TYPE: dict[Any, Callable[[str, str], Any]] = {
    bool: parse_switch,
    Path: parse_path,
    tuple[str, ...]: parse_hosts,
}
