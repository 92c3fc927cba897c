"""Looking after a server's data from its own machine."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import apsw
import pytest
from argon2 import PasswordHasher
from click.testing import CliRunner, Result

from tertulia.accounts import passwords
from tertulia.cli.backup import backup
from tertulia.cli.check_results import CheckState
from tertulia.cli.commands import root
from tertulia.cli.database_copy import copy_database, find_database_problems
from tertulia.cli.errors import FileUnreadable, InTheWay
from tertulia.cli.machine_checks import check_schema, check_space
from tertulia.core.errors import TertuliaError
from tertulia.infra.db.sqlite.connection import open_connection

PASSWORD = "correct horse battery"


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "data"
    monkeypatch.setenv("TERTULIA_DATA_DIR", str(folder))
    monkeypatch.setattr(passwords, "hasher", lambda: PasswordHasher(1, 8, 1))
    return folder


def tertulia(*args: str, piped: str = "") -> Result:
    return CliRunner().invoke(root, args, input=piped)


def refusal(*args: str, piped: str = "") -> str:
    error = tertulia(*args, piped=piped).exception
    assert isinstance(error, TertuliaError)
    return error.message


def create(email: str, role: str) -> Result:
    return tertulia(
        "user", "create", "--email", email, "--role", role, "--password-stdin", piped=f"{PASSWORD}\n"
    )


def test_the_first_person_owns_the_server_and_others_join_them() -> None:
    assert "must be its owner" in refusal(
        "user", "create", "--email", "ana@example.org", "--role", "member", "--password-stdin", piped=PASSWORD
    )
    assert create("Ana@Example.org", "owner").exit_code == 0
    assert create("ben@example.org", "viewer").exit_code == 0
    rows = [line.split("\t") for line in tertulia("user", "list").stdout.splitlines()]
    assert rows == [
        ["ana@example.org", "ana", "active", "My workspace (owner)"],
        ["ben@example.org", "ben", "active", "My workspace (viewer)"],
    ]


def test_a_password_is_asked_for_twice_and_never_shown() -> None:
    args = ("user", "create", "--email", "ana@example.org", "--role", "owner")
    result = tertulia(*args, piped=f"{PASSWORD}\n{PASSWORD}\n")
    assert result.exit_code == 0
    assert PASSWORD not in result.output
    assert "10 to 1024" in refusal(*args, piped="short\nshort\n")


def test_a_person_is_deleted_after_a_yes() -> None:
    create("ana@example.org", "owner")
    create("ben@example.org", "member")
    args = ("user", "delete", "--email", "ben@example.org")
    assert tertulia(*args, piped="n\n").exit_code == 1
    assert "ben@example.org" in tertulia("user", "list").stdout
    assert tertulia(*args, piped="y\n").exit_code == 0
    assert "ben" not in tertulia("user", "list").stdout
    assert "no such person" in refusal(*args, "--yes")
    told = tertulia("user", "delete", "--email", "ana@example.org", "--yes")
    assert "The workspace My workspace has no other member" in told.output
    assert tertulia("user", "list").stdout == ""


def test_a_person_is_suspended_and_let_in_again() -> None:
    create("ana@example.org", "owner")
    create("ben@example.org", "member")
    assert tertulia("user", "suspend", "--email", "ben@example.org").exit_code == 0
    assert "\tsuspended\t" in tertulia("user", "list").stdout
    assert "suspended" in refusal("token", "create", "--email", "ben@example.org")
    tertulia("user", "activate", "--email", "ben@example.org")
    assert "\tsuspended\t" not in tertulia("user", "list").stdout
    assert "needs an active owner" in refusal("user", "suspend", "--email", "ana@example.org")


def test_a_reset_link_is_printed_alone() -> None:
    create("ana@example.org", "owner")
    (line,) = tertulia("user", "reset-link", "--email", "ana@example.org").stdout.splitlines()
    assert line.startswith("http://127.0.0.1:8400/")


def test_a_token_is_printed_alone_so_that_a_shell_can_take_it() -> None:
    create("ana@example.org", "owner")
    result = tertulia("token", "create", "--email", "ana@example.org", "--name", "laptop")
    (line,) = result.stdout.splitlines()
    assert line.startswith("ttl_")
    listed = tertulia("token", "list", "--email", "ana@example.org").stdout
    assert "laptop" in listed
    assert line not in listed
    token_id = listed.split("\t")[0]
    assert tertulia("token", "revoke", "--email", "ana@example.org", token_id).exit_code == 0
    assert tertulia("token", "list", "--email", "ana@example.org").stdout == ""


def test_a_token_is_made_for_people_only() -> None:
    create("ana@example.org", "owner")
    assert refusal("token", "create", "--email", "who@example.org") == "There is no such person."


def test_the_program_ends_with_a_sentence_and_not_a_traceback(data: Path) -> None:
    command = [sys.executable, "-m", "tertulia", "backup", str(data / "copy")]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert ended.stderr.startswith("There is no database in")
    assert "Traceback" not in ended.stderr


def test_a_folder_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    command = [sys.executable, "-m", "tertulia", "user", "list"]
    place = {**os.environ, "TERTULIA_DATA_DIR": str(tmp_path / "file" / "data")}
    ended = subprocess.run(command, capture_output=True, text=True, check=False, env=place)
    assert ended.returncode == 1
    assert "Traceback" not in ended.stderr
    assert str(tmp_path) in ended.stderr


def test_a_file_that_is_no_database_is_said_to_be_none(data: Path) -> None:
    data.mkdir()
    (data / "tertulia.db").write_text("not a database at all" * 100)
    assert "is not a database" in refusal("user", "list")


def test_a_backup_under_load_is_one_moment_of_the_data(data: Path, tmp_path: Path) -> None:
    create("ana@example.org", "owner")
    source = data / "tertulia.db"
    writer = open_connection(source, busy_seconds=5)
    writer.execute("CREATE TABLE pairs (a INTEGER, b INTEGER, padding TEXT)")
    for _ in range(50):
        writer.execute("INSERT INTO pairs VALUES (0, 0, :text)", {"text": "x" * 100_000})
    done = threading.Event()

    def keep_writing() -> None:
        number = 0
        while not done.is_set():
            number += 1
            writer.execute("BEGIN; UPDATE pairs SET a = ?1; UPDATE pairs SET b = ?1; COMMIT", (number,) * 2)

    thread = threading.Thread(target=keep_writing)
    thread.start()
    try:
        for number in range(3):
            copy_database(
                source,
                tmp_path / f"{number}.db",
                report_progress=lambda step, done, total: None,
                busy_seconds=5,
            )
    finally:
        done.set()
        thread.join()
        writer.close()
    for number in range(3):
        copy = apsw.Connection(str(tmp_path / f"{number}.db"))
        assert copy.execute("SELECT count(DISTINCT a), min(a) = max(b) FROM pairs").fetchall() == [(1, 1)]
        copy.close()


def test_a_backup_is_verified_summed_and_never_overwritten_unasked(data: Path, tmp_path: Path) -> None:
    create("ana@example.org", "owner")
    (data / "secret.key").write_text("key")
    target = tmp_path / "copy"
    assert tertulia("backup", str(target)).exit_code == 0
    assert sorted(os.listdir(target)) == ["SHA256SUMS", "tertulia.db"]
    subprocess.run(["sha256sum", "--check", "SHA256SUMS"], cwd=target, check=True, capture_output=True)
    assert isinstance(CliRunner().invoke(backup, [str(target)]).exception, InTheWay)

    again = tertulia("backup", str(target), "--force", "--with-secret-key")
    assert again.exit_code == 0
    assert "Warning" in again.stderr
    assert (target / "secret.key").stat().st_mode & 0o777 == 0o600
    assert (target / "tertulia.db").stat().st_mode & 0o777 == 0o600


def test_a_backup_with_the_key_is_made_where_there_is_none_yet(data: Path, tmp_path: Path) -> None:
    create("ana@example.org", "owner")
    made = tertulia("backup", str(tmp_path / "copy"), "--with-secret-key")
    assert made.exit_code == 0
    assert "There is no secret.key yet" in made.stderr
    assert sorted(os.listdir(tmp_path / "copy")) == ["SHA256SUMS", "tertulia.db"]


@pytest.mark.parametrize("kept", [None, "the key of before"])
def test_a_backup_cannot_hold_a_key_that_is_in_no_file(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: str | None
) -> None:
    create("ana@example.org", "owner")
    if kept:
        (data / "secret.key").write_text(kept)
    monkeypatch.setenv("TERTULIA_SECRET_KEY", "a key of the environment")
    refused = CliRunner().invoke(backup, [str(tmp_path / "copy"), "--with-secret-key"]).exception
    assert isinstance(refused, FileUnreadable)
    assert not (tmp_path / "copy").exists()


def test_a_restored_backup_has_everybody(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    create("ana@example.org", "owner")
    tertulia("backup", str(tmp_path / "copy"))
    monkeypatch.setenv("TERTULIA_DATA_DIR", str(tmp_path / "copy"))
    assert "ana@example.org" in tertulia("user", "list").stdout


def findings(*args: str) -> tuple[int, dict[str, str]]:
    result = tertulia("doctor", "--json", *args)
    return result.exit_code, {one["name"]: one["state"] for one in json.loads(result.stdout)}


def test_the_doctor_finds_a_sound_server_sound(monkeypatch: pytest.MonkeyPatch) -> None:
    create("ana@example.org", "owner")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    code, found = findings()
    assert code == 0
    assert (found["database"], found["schema"], found["data directory"]) == ("ok", "ok", "ok")
    shown = tertulia("doctor").stdout
    assert "OPENAI_API_KEY" in shown
    assert "very-secret" not in shown


def test_the_doctor_looks_before_there_is_anything(data: Path) -> None:
    code, found = findings()
    assert (code, found["data directory"], found["database"]) == (0, "warn", "warn")
    assert not data.exists(), "looking changes nothing"


def test_the_doctor_finds_a_data_directory_that_cannot_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.touch()
    for path in (in_the_way, in_the_way / "data"):
        monkeypatch.setenv("TERTULIA_DATA_DIR", str(path))
        code, found = findings()
        assert (code, found["data directory"]) == (1, "fail")
        assert f"{in_the_way} is not a folder" in tertulia("doctor").stdout


def test_the_doctor_finds_what_is_broken(data: Path) -> None:
    create("ana@example.org", "owner")
    key = data / "secret.key"
    key.write_text("key")
    key.chmod(0o644)
    data.chmod(0o755)
    content = bytearray((data / "tertulia.db").read_bytes())
    content[4096 * 3 : 4096 * 5] = b"\xff" * 8192
    (data / "tertulia.db").write_bytes(content)

    code, found = findings()
    assert (code, found["secret key"], found["database"]) == (1, "fail", "fail")
    assert found["data directory"] == "warn"
    assert "chmod 600" in tertulia("doctor").stdout


def test_a_row_that_points_nowhere_is_found(tmp_path: Path) -> None:
    path = tmp_path / "loose.db"
    loose = apsw.Connection(str(path))
    loose.execute("CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (a REFERENCES a (id))")
    loose.execute("INSERT INTO b VALUES (7)")
    loose.close()
    assert find_database_problems(path) == ["a row of b points at a missing row of a"]


def test_a_provider_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:1")
    code, found = findings("--online")
    assert (code, found["provider ollama"]) == (1, "fail")


@pytest.mark.parametrize(("free", "state"), [(10, "fail"), (10**9, "warn"), (10**11, "ok")])
def test_little_space_is_a_warning_and_none_a_failure(free: int, state: CheckState) -> None:
    assert check_space(free).state == state


@pytest.mark.parametrize(("applied", "state"), [(2, "warn"), (3, "ok"), (4, "fail")])
def test_a_schema_from_the_future_is_a_failure(applied: int, state: CheckState) -> None:
    assert check_schema(applied, 3).state == state
