"""A conversation written down to be read."""

from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.export_world import ExportWorld, ask, exported, new_conversation, open_world, reply

from tertulia.conversations import rounds
from tertulia.conversations.domain import ReplyProblem, ReplyStatus
from tertulia.conversations.markdown_export import ascii_file_name, close_open_fence, export_file_name
from tertulia.infra.db import Tx


@pytest.fixture
def world(tmp_path: Path) -> Generator[ExportWorld]:
    world = open_world(tmp_path)
    yield world
    world.db.close()


def test_only_the_branch_that_is_shown_is_written(world: ExportWorld) -> None:
    def write(tx: Tx) -> str:
        made = new_conversation(tx, world, title="On *tides*\n# and more")
        first = ask(tx, made, "Why?")
        reply(tx, first, "First try", attempt=1)
        reply(tx, first, "Second try", attempt=2)
        reply(
            tx,
            first,
            "",
            lane="gpt#2",
            status=ReplyStatus.FAILED,
            error=ReplyProblem("x", "Too busy."),
        )
        question = rounds.get_question(tx, first.id).id
        ask(tx, made, "Not shown", parent_id=question)
        ask(tx, made, "Shown", parent_id=question)
        return made

    made = world.write(write)
    text = exported(world, made, markdown=True).decode()

    assert text.startswith("# On \\*tides\\* \\# and more\n")
    assert text.index("Why?") < text.index("Second try") < text.index("Shown")
    assert "## gpt\\#2 (failed)\n\n*Too busy.*" in text
    assert "Not shown" not in text
    assert "First try" not in text
    assert "1 on other branches" in text


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("```py\nx = 1", "x = 1\n```"),
        ("```py\nx = 1\n```", "x = 1\n```"),
        ("~~~~\n```\n", "```\n~~~~"),
        ("````\n```\n````\nafter", "after"),
        ("```not a `fence", "`fence"),
        ("```\n``` still code", "still code\n```"),
    ],
)
def test_a_block_of_code_always_ends(text: str, end: str) -> None:
    assert close_open_fence(text).endswith(end)


@given(st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=300))
def test_a_file_name_is_safe_everywhere(title: str | None) -> None:
    name = export_file_name(title, "json")
    assert Path(name).name == name
    assert name.endswith(".json")
    assert not name.startswith(".")
    assert name.isprintable()
    assert not set(name) & set('\\/:*?"<>|')
    assert 6 <= len(name) <= 100
    assert ascii_file_name(name).isascii()


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("../../etc/passwd", "etc passwd.md"),
        ("Über Gezeiten", "Über Gezeiten.md"),
        ("con", "Conversation con.md"),
        ("a\u202egnp.exe", "a gnp.exe.md"),
        ("", "Conversation.md"),
    ],
)
def test_names_say_what_the_title_says(title: str, name: str) -> None:
    assert export_file_name(title, "md") == name


def test_other_scripts_get_a_plain_name_too() -> None:
    assert ascii_file_name("Über Gezeiten.md") == "Uber Gezeiten.md"
    assert ascii_file_name("潮汐.md") == "Conversation.md"
