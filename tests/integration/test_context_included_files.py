"""Files that are always in context, or named, are shown as far as a prompt has room; the rest is told of."""

from typing import Any

import pytest
from tests.context_world import done, receipt_of
from tests.files_world import Shelf
from tests.scripted_provider import Script, ScriptedProvider
from tests.search_world import indexed
from tests.world import Json, Person, World

MODEL = "openai/scripted-smart"


def regulation(name: str, lines: int = 380) -> str:
    return "\n".join(f"Line {number} of the {name} regulation says {number * 7}" for number in range(lines))


@pytest.fixture
async def shelf(ada: Person) -> Shelf:
    """A project with three files that are always in context, one of them a single endless line."""
    shelf = await Shelf.of(ada)
    await shelf.write("a.txt", regulation("first"), always_in_context=True)
    await shelf.write("b.txt", regulation("second"), always_in_context=True)
    await shelf.write("d.json", '{"k": "' + "delta value " * 9_000 + '"}', always_in_context=True)
    return shelf


async def planned(shelf: Shelf, question: str, **more: Any) -> Json:
    """Return what a model would be shown."""
    body = {"message": question, "models": [MODEL], "project_id": shelf.project_id, **more}
    [lane] = (await done(shelf.person.post("/api/context/preview", body)))["lanes"]
    return lane["plan"]


async def limit(shelf: Shelf, tokens: int) -> None:
    settings = {"max_context_tokens": tokens, "context_strategy": "balanced"}
    await done(shelf.person.put(f"/api/projects/{shelf.project_id}", {"settings": settings}))


def shown(plan: Json, kind: str) -> list[str]:
    return [item["title"] for one in plan["sections"] if one["kind"] == kind for item in one["items"]]


def left_out(plan: Json) -> list[tuple[str, str, str]]:
    return [(one["section"], one["item"]["title"], one["reason"]) for one in plan["left_out"]]


async def test_files_that_a_prompt_has_room_for_are_shown_whole(ada: Person) -> None:
    shelf = await Shelf.of(ada)
    for name in ("a.txt", "b.txt"):
        await shelf.write(name, regulation(name, 900), always_in_context=True)
    plan = await planned(shelf, "Is everything here?")

    assert shown(plan, "files") == ["a.txt, lines 1-900", "b.txt, lines 1-900"]
    assert left_out(plan) == []


async def test_what_is_cut_is_told_of(shelf: Shelf, provider: ScriptedProvider) -> None:
    await limit(shelf, 16_000)
    asked = {"models": [MODEL], "project_id": shelf.project_id}
    [reply] = (await shelf.person.ask("Is everything here?", **asked))["replies"]
    plan = (await receipt_of(shelf.person, reply))["plan"]

    first, second = shown(plan, "files")
    assert first == "a.txt, lines 1-380"
    assert second.startswith("b.txt, lines 1-")
    assert ("files", "The rest of b.txt", "rest") in left_out(plan)
    assert ("files", "d.json", "no_room") in [
        (kind, title.partition(",")[0], why) for kind, title, why in left_out(plan)
    ]
    sent = str(provider.requests("scripted-smart")[-1].body)
    assert "the file goes on after these" in sent
    files = next(one for one in plan["sections"] if one["kind"] == "files")
    assert files["tokens"] <= 8_000


async def test_the_beginning_of_an_endless_line_is_shown(ada: Person) -> None:
    shelf = await Shelf.of(ada)
    await shelf.write("d.json", '{"k": "' + "delta value " * 9_000 + '"}', always_in_context=True)
    await limit(shelf, 8_000)
    plan = await planned(shelf, "What is k?")

    assert shown(plan, "files") == ["d.json, lines 1-1"]
    assert ("files", "The rest of d.json", "rest") in left_out(plan)


async def test_naming_a_file_takes_nothing_from_one_that_is_always_there(shelf: Shelf) -> None:
    await limit(shelf, 40_000)
    plan = await planned(shelf, "See #b.txt please")

    assert shown(plan, "passages") == ["b.txt, lines 1-380"]
    assert shown(plan, "files")[0] == "a.txt, lines 1-380"


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("(#a.csv)", "a.csv"),
        ("Look [at #a.csv], please", "a.csv"),
        ("It is “#a.csv”.", "a.csv"),
        ("See #A.CSV", "a.csv"),
        ("See (#ПЛАН.md)!", "План.md"),
        ('See #"DOCS/a plan.md"', "docs/A plan.md"),
    ],
)
async def test_a_file_is_shown_however_its_name_is_spelled(ada: Person, question: str, path: str) -> None:
    shelf = await Shelf.of(ada)
    await shelf.write(path, "The harbour opens at six.\n")
    plan = await planned(shelf, question)
    assert shown(plan, "passages") == [f"{path}, lines 1-1"]
    # Search finds it as well once it is indexed.
    assert {reason for *_, reason in left_out(plan)} <= {"shown_already"}


async def test_a_name_in_other_capitals_that_could_be_two_files_is_none(ada: Person) -> None:
    shelf = await Shelf.of(ada)
    for path in ("a.csv", "A.csv"):
        await shelf.write(path, f"This is {path}.\n")
    assert shown(await planned(shelf, "See #a.csv"), "passages") == ["a.csv, lines 1-1"]
    assert ("passages", "A.CSV", "no_such_file") in left_out(await planned(shelf, "See #A.CSV"))


async def test_what_a_question_names_in_vain_is_told_of(shelf: Shelf) -> None:
    await shelf.send(("sound.bin", b"\x00\x01\x02" * 99))
    plan = await planned(shelf, 'See #nosuch.txt, #"no such plan", #12 and #sound.bin.')

    assert ("passages", "nosuch.txt", "no_such_file") in left_out(plan)
    assert ("passages", "no such plan", "no_such_file") in left_out(plan)
    assert ("passages", "sound.bin", "no_text") in left_out(plan)
    assert not any(title == "12" for _, title, _ in left_out(plan))


async def test_a_file_that_was_cut_can_be_left_out(shelf: Shelf) -> None:
    await limit(shelf, 16_000)
    asked = {"models": [MODEL], "project_id": shelf.project_id}
    turn = await shelf.person.start("Is everything here?", **asked)
    [reply] = (await shelf.person.finished(turn))["replies"]
    plan = (await receipt_of(shelf.person, reply))["plan"]
    cut = next(one for one in plan["sections"] if one["kind"] == "files")["items"][1]["id"]
    more = await shelf.person.post(f"/api/replies/{reply['id']}/regenerate", {"leave_out": [cut]})
    again = (await shelf.person.finished(more.json()))["replies"][-1]
    plan = (await receipt_of(shelf.person, again))["plan"]

    assert not any(title.startswith("b.txt") for title in shown(plan, "files"))
    assert any(title.startswith("b.txt") and why == "asked" for _, title, why in left_out(plan))


@pytest.mark.parametrize("strategy", ["smart", "balanced", "minimal"])
async def test_a_file_that_is_named_is_shown_to_every_model(
    ada: Person, provider: ScriptedProvider, strategy: str
) -> None:
    models = ["gpt-5", "scripted-fast"]
    provider.script("gpt-5", Script(reply="At six."))
    shelf = await Shelf.of(ada)
    await shelf.write("plan.md", "The harbour opens at six.\n")
    await done(ada.put(f"/api/projects/{shelf.project_id}", {"settings": {"context_strategy": strategy}}))
    asked = {"models": [f"openai/{model}" for model in models], "project_id": shelf.project_id}
    replies = (await ada.ask("When? See #plan.md", **asked))["replies"]

    for model, reply in zip(models, replies, strict=True):
        assert "The harbour opens at six." in str(provider.requests(model)[0].body["messages"][-1])
        assert [one["is_pointer"] for one in reply["passages"]] == [False]


async def test_a_passage_that_a_model_is_only_pointed_to_does_not_count_as_shown(
    ada: Person, world: World, provider: ScriptedProvider
) -> None:
    provider.script("gpt-5", Script(reply="In February."))
    shelf = await Shelf.of(ada)
    await shelf.write("log.md", "The lighthouse was painted in February.\n")
    await indexed(world, meanings=False)
    asked = {"models": ["openai/gpt-5"], "project_id": shelf.project_id}
    [reply] = (await ada.ask("When was the lighthouse painted?", **asked))["replies"]

    assert [(one["path"], one["is_pointer"]) for one in reply["passages"]] == [("log.md", True)]


async def test_a_named_file_has_the_room_that_nothing_else_needs(ada: Person) -> None:
    shelf = await Shelf.of(ada)
    await shelf.write("long.txt", regulation("long", 1_000))
    await limit(shelf, 24_000)
    plan = await planned(shelf, "Sum up #long.txt")

    assert shown(plan, "passages") == ["long.txt, lines 1-1000"]


async def test_a_named_file_of_many_lines_is_shown_beyond_the_first_thousands(ada: Person) -> None:
    shelf = await Shelf.of(ada)
    await shelf.write("numbers.txt", "\n".join(map(str, range(6_000))))
    plan = await planned(shelf, "Add up #numbers.txt")

    assert shown(plan, "passages") == ["numbers.txt, lines 1-6000"]
