"""A person's own profile: written with their consent, seen by nobody else, gone when they revoke it."""

import asyncio
from typing import Any

import pytest
from tests.accounts_door import ok, refused
from tests.faults.truth import tables_with
from tests.world import Json, Person, World, read_events

pytestmark = pytest.mark.both_engines

PROFILE, CONSENT = "/api/memory/profile", "/api/memory/consent"
CANARY = "zyzzogeton"
FULL: Json = {
    "preferences": {
        "coding_style": f"functional, like the {CANARY}",
        "preferred_languages": ["Python", "Rust"],
        "framework_experience": ["FastAPI"],
    },
    "context": {"project_goals": "Ship it", "domain": "harbours", "constraints": "no dependencies"},
    "freeform_notes": f"The {CANARY} sings.\nAt midnight.",
}
EMPTY: Json = {
    "preferences": {"coding_style": "", "preferred_languages": [], "framework_experience": []},
    "context": {"project_goals": "", "domain": "", "constraints": ""},
    "freeform_notes": "",
}


async def agree(person: Person) -> Json:
    return ok(await person.put(CONSENT, {"consented": True}))


async def revoke(person: Person) -> Json:
    return ok(await person.put(CONSENT, {"consented": False}))


async def written(person: Person) -> Json:
    """Have a person agree and write all of a profile, and return it."""
    await agree(person)
    return ok(await person.put(PROFILE, FULL))


def fields_of(profile: Json) -> Json:
    return {name: value for name, value in profile.items() if name not in ("id", "updated_at")}


async def test_without_consent_nothing_is_stored_and_the_refusal_says_how_to_give_it(
    world: World, ada: Person
) -> None:
    assert ok(await ada.get(CONSENT)) == {"consented": False, "since": None}
    error = refused(await ada.put(PROFILE, FULL), 409, "no_consent")
    assert CONSENT in error["message"]
    assert ok(await ada.get(PROFILE)) == {"profile": None, "has_consent": False}
    assert tables_with(world.settings.database, CANARY) == {}


async def test_a_profile_is_written_field_by_field(ada: Person) -> None:
    since = (await agree(ada))["since"]
    empty = ok(await ada.get(PROFILE))["profile"]
    assert fields_of(empty) == EMPTY
    assert empty["updated_at"] is None

    profile = ok(await ada.put(PROFILE, FULL))
    assert fields_of(profile) == FULL
    changed = ok(await ada.put(PROFILE, {"context": {"domain": "", "constraints": "offline"}}))
    assert fields_of(changed) == FULL | {
        "context": FULL["context"] | {"domain": "", "constraints": "offline"}
    }
    cleared = ok(await ada.put(PROFILE, {"preferences": {"preferred_languages": []}, "freeform_notes": ""}))
    assert cleared["preferences"] == FULL["preferences"] | {"preferred_languages": []}
    assert ok(await ada.get(PROFILE)) == {"profile": cleared, "has_consent": True}
    assert ok(await ada.get(CONSENT)) == await agree(ada) == {"consented": True, "since": since}


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({"freeform_notes": "x" * 1_501}, "freeform_notes"),
        ({"context": {"domain": "x" * 301}}, "context.domain"),
        ({"preferences": {"preferred_languages": ["x"] * 21}}, "preferences.preferred_languages"),
        ({"preferences": {"framework_experience": ["x" * 41]}}, "preferences.framework_experience"),
        ({"notes": "x"}, "notes"),
    ],
)
async def test_what_is_too_long_is_refused_by_its_name(ada: Person, body: Json, param: str) -> None:
    before = await written(ada)
    error = refused(await ada.put(PROFILE, body), 422, "invalid_request")
    assert param in str(error["param"])
    assert ok(await ada.get(PROFILE))["profile"] == before


async def test_revoking_leaves_no_word_of_it_in_any_table(world: World, ada: Person) -> None:
    await written(ada)
    assert set(tables_with(world.settings.database, CANARY)) == {"profiles"}
    assert await revoke(ada) == await revoke(ada) == {"consented": False, "since": None}
    assert tables_with(world.settings.database, CANARY) == {}
    assert ok(await ada.get(PROFILE)) == {"profile": None, "has_consent": False}
    await agree(ada)
    assert fields_of(ok(await ada.get(PROFILE))["profile"]) == EMPTY


async def test_consent_is_audited_without_a_word_of_the_profile(ada: Person) -> None:
    await written(ada)
    await revoke(ada)
    entries = ok(await ada.get("/api/audit"))["items"]
    told = [entry for entry in entries if entry["action"].startswith("profile")]
    assert [entry["action"] for entry in told] == ["profile_consent_revoked", "profile_consent_given"]
    assert {entry["actor_id"] for entry in told} == {ada.principal.user_id}
    assert all(entry["detail"] == {} for entry in told)
    assert CANARY not in str(entries)


async def test_nobody_but_its_person_sees_or_changes_a_profile(world: World, ada: Person) -> None:
    bea = await world.person(like=ada)
    mine = await written(bea)
    others = [ada, await world.person(role="admin", like=ada), await world.person(role="viewer", like=ada)]
    others += [await world.person(role="owner"), await world.person_elsewhere(bea)]
    for person in others:
        assert ok(await person.get(PROFILE)) == {"profile": None, "has_consent": False}
        refused(await person.put(PROFILE, {"freeform_notes": "taken"}), 409, "no_consent")
        await revoke(person)
        await agree(person)
        ok(await person.put(PROFILE, {"freeform_notes": "Mine"}))
        assert (await person.get(f"{PROFILE}?user_id={bea.principal.user_id}")).status_code == 422
        await revoke(person)
    assert ok(await bea.get(PROFILE))["profile"] == mine
    async with world.client() as nobody:
        assert (await nobody.get(PROFILE)).status_code == 401
        assert (await nobody.put(CONSENT, json={"consented": False})).status_code == 401


async def test_a_viewer_has_a_profile_of_their_own(world: World, ada: Person) -> None:
    vic = await world.person(role="viewer", like=ada)
    assert fields_of(await written(vic)) == FULL
    assert (await revoke(vic))["consented"] is False


async def test_ones_other_devices_hear_that_there_is_something_to_fetch(ada: Person) -> None:
    async def hear() -> list[Json]:
        heard: list[Json] = []
        async with ada.client.stream("GET", "/api/events?after=0") as stream:
            async for event in read_events(stream):
                heard.append(event)
                if len(heard) == 3:
                    break
        return heard

    hearing = asyncio.create_task(hear())
    await written(ada)
    await revoke(ada)
    heard = await hearing
    assert [event["type"] for event in heard] == ["profile.changed"] * 3
    assert CANARY not in str(heard)


async def test_debug_figures_say_whether_there_is_consent_and_nothing_more(world: World, ada: Person) -> None:
    bea = await world.person(like=ada)

    async def stats(person: Person) -> Any:
        return ok(await person.get("/api/memory/debug/stats"))["profileConsent"]

    assert await stats(ada) is False
    await written(ada)
    assert (await stats(ada), await stats(bea)) == (True, False)
    looked = ok(await ada.get("/api/memory/debug/retrieval", params={"q": f"{CANARY} sings"}))
    assert looked["results"] == []
    await revoke(ada)
    assert await stats(ada) is False


async def test_changes_beside_a_revocation_never_bring_text_back(world: World, ada: Person) -> None:
    await written(ada)
    changes = [ada.put(PROFILE, {"freeform_notes": f"{CANARY} {number}"}) for number in range(10)]
    answers = await asyncio.gather(*changes[:5], revoke(ada), *changes[5:])
    assert {answer.status_code for answer in answers if not isinstance(answer, dict)} <= {200, 409}
    assert tables_with(world.settings.database, CANARY) == {}


async def test_a_profile_goes_with_the_membership_and_with_the_account(world: World, ada: Person) -> None:
    bea, cyd = await world.person(like=ada), await world.person(like=ada)
    await written(bea)
    await written(cyd)
    assert (await ada.delete(f"/api/members/{bea.principal.user_id}")).status_code == 204
    assert len(tables_with(world.settings.database, CANARY)["profiles"]) == 1
    assert (await ada.delete(f"/api/members/{cyd.principal.user_id}/account")).status_code == 204
    assert tables_with(world.settings.database, CANARY) == {}
