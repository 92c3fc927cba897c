"""Tables as they are drawn on terminals of any width."""

import pytest

from tertulia.cli.output import print_table

HEAD = ("Id", "Status", "Priority", "Day", "Task")
ROW = ("K7Q2XM", "in_progress", "medium", "2026-11-20", "Ask about the roof")


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("NO_COLOR", "1")


def drawn(capsys: pytest.CaptureFixture[str], *rows: tuple[str, ...]) -> list[str]:
    print_table(HEAD, rows)
    return [line.rstrip() for line in capsys.readouterr().out.splitlines()]


def test_a_table_is_drawn_where_it_fits_and_only_its_texts_are_wrapped(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "66")
    shown = [line for line in drawn(capsys, ROW) if "K7Q2XM" in line or "roof" in line]
    assert " ".join(shown[0].split()).startswith(" ".join(ROW[:-1]))
    assert "roof" in shown[-1]
    assert max(map(len, shown)) <= 66


def test_a_narrow_terminal_shows_every_cell_whole_in_a_line_of_its_own(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    assert drawn(capsys, ROW, ("4ZT9BC", "done", "", "", "Pay")) == [
        "Id        K7Q2XM",
        "Status    in_progress",
        "Priority  medium",
        "Day       2026-11-20",
        "Task      Ask about the roof",
        "",
        "Id        4ZT9BC",
        "Status    done",
        "Task      Pay",
    ]
