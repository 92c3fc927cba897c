"""What is true of the whole server, and agreed on by all of its processes: the first to say it decides."""

from tertulia.infra.db.tx import Tx


def find_fact(tx: Tx, name: str) -> str | None:
    """Return a fact, or None where nobody has said it yet."""
    value: str | None = tx.value("SELECT value FROM server_facts WHERE name = :name", name=name)
    return value


def agree_on_fact(tx: Tx, name: str, value: str) -> str:
    """Say a fact, and return what counts: what was said first."""
    tx.run(
        "INSERT INTO server_facts (name, value) VALUES (:name, :value) ON CONFLICT DO NOTHING",
        name=name,
        value=value,
    )
    return find_fact(tx, name) or value


def forget_fact(tx: Tx, name: str) -> None:
    """Let a fact be agreed on anew."""
    tx.run("DELETE FROM server_facts WHERE name = :name", name=name)
