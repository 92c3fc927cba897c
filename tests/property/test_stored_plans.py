"""A plan is read back from its stored form exactly as it was, whatever is in it."""

from dataclasses import fields, is_dataclass, replace

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tertulia.context.item_names import TITLE_MARK, restore_names, shorten_names
from tertulia.context.item_titles import OPENING_MARK, with_opening, without_opening
from tertulia.context.plan_items import shorten_title
from tertulia.context.prompt_plan import Item, LeftOut, Pointer, PromptPlan, Section, SectionKind
from tertulia.context.shared_items import PlanOutline, fill_outline, map_outline, outline_items
from tertulia.context.stored_plans import PlanItems, join_plan, plan_figures
from tertulia.core.compact_values import without_defaults
from tertulia.core.nul_characters import encode_storable_json
from tertulia.infra.db.packed_values import pack_text, unpack_text

#: PostgreSQL keeps no NUL, and what is no character cannot be written.
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
POINTERS = st.builds(Pointer)
ITEMS = st.builds(Item, id=TEXTS, title=TEXTS, text=TEXTS, text_hash=TEXTS, pointer=POINTERS)
PLANS = st.builds(
    PromptPlan,
    lane=TEXTS,
    model=TEXTS,
    hash=TEXTS,
    sections=st.lists(st.builds(Section, items=st.lists(ITEMS, max_size=3).map(tuple)), max_size=3).map(
        tuple
    ),
    left_out=st.lists(st.builds(LeftOut, item=ITEMS), max_size=3).map(tuple),
    steps=st.just(()),
)


def items_of(plan: PromptPlan) -> PlanItems:
    return PlanItems(plan.sections, plan.left_out)


def read_back(plan: PromptPlan, shared: PlanItems | None = None) -> PromptPlan:
    """Write a plan as columns, and read them."""
    figures = msgspec.json.decode(encode_storable_json(plan_figures(plan)), type=PromptPlan)
    outline = without_defaults(map_outline(outline_items(items_of(plan), shared), shorten_names))
    packed = pack_text(encode_storable_json(outline))
    read = msgspec.json.decode(unpack_text(packed), type=PlanOutline)
    return join_plan(figures, fill_outline(map_outline(read, restore_names), shared))


@given(PLANS)
def test_a_plan_is_read_back_as_it_was(plan: PromptPlan) -> None:
    assert read_back(plan) == plan


@pytest.mark.parametrize("title", [TITLE_MARK, TITLE_MARK * 2, f"{TITLE_MARK}x", f"x{OPENING_MARK}"])
def test_a_title_that_looks_like_a_mark_is_read_back_as_it_was(title: str) -> None:
    section = Section(SectionKind.SYSTEM, (Item("a", title, 0),))
    plan = PromptPlan("lane", "model", 1, 2, 3, 4, (section,))
    assert read_back(plan) == plan
    assert with_opening(section.items[0], {}) == section.items[0]


@given(plan=PLANS, other=PLANS)
def test_a_plan_is_read_back_beside_what_its_round_shares(plan: PromptPlan, other: PromptPlan) -> None:
    mixed = replace(plan, sections=(*plan.sections, *other.sections), left_out=plan.left_out + other.left_out)
    for shared in (items_of(other), items_of(mixed), items_of(recounted(mixed))):
        assert read_back(plan, shared) == plan
        assert read_back(mixed, shared) == mixed


def recounted(plan: PromptPlan) -> PromptPlan:
    """Return a plan as another model counts its tokens."""
    return plan.map_items(lambda item: replace(item, tokens=item.tokens + len(item.title) % 2))


@given(PLANS)
def test_items_that_a_round_shares_are_not_written_again(plan: PromptPlan) -> None:
    numbers = iter(range(1000))
    named = plan.map_items(lambda item: replace(item, id=str(next(numbers))))
    outline = outline_items(named_items := items_of(named), items_of(recounted(named)))
    entries = [entry for section in outline.sections for entry in section.items]
    assert all(isinstance(entry, tuple) for entry in entries)
    assert fill_outline(outline, items_of(recounted(named))) == named_items


@given(PLANS)
def test_items_beside_a_plan_are_read_as_they_were(plan: PromptPlan) -> None:
    figures = msgspec.json.decode(encode_storable_json(plan_figures(plan)), type=PromptPlan)
    packed = pack_text(encode_storable_json(without_defaults(items_of(plan))))
    assert join_plan(figures, msgspec.json.decode(unpack_text(packed), type=PlanItems)) == plan


@given(PLANS)
def test_a_plan_of_the_earlier_form_is_read_as_it_was(plan: PromptPlan) -> None:
    assert join_plan(msgspec.json.decode(encode_storable_json(plan), type=PromptPlan), None) == plan


@given(TEXTS)
def test_a_text_is_unpacked_as_it_was(text: str) -> None:
    assert unpack_text(pack_text(text)) == text == unpack_text(text)


def test_what_was_packed_once_is_read_ever_after() -> None:
    """The dictionary is part of what is stored: with another one, this fails, and so would every receipt."""
    text = '{"sections":[{"kind":"rounds","items":[{"id":"round:rnd_01","title":"Hi"}]}]}'
    for packed in ("78bb8b029a0fc35e3192989f3c3241557f6c2d00fee319c4", "02c31e492436b23c3241fdc1d85a00"):
        assert unpack_text(bytes.fromhex(packed)) == text


def test_what_is_as_its_class_has_it_takes_no_room() -> None:
    plan = PromptPlan("lane", "model", 1, 2, 3, 4, (Section(SectionKind.SYSTEM, (Item("a", "b", 0),)),))
    assert without_defaults(plan.sections) == [
        {"kind": "system", "items": [{"id": "a", "title": "b", "tokens": 0}]}
    ]
    assert all(not is_dataclass(getattr(plan, field.name)) for field in fields(plan))
    assert read_back(replace(plan, sections=())).sections == ()


@given(words=TEXTS.map(shorten_title), before=TEXTS, other=TEXTS)
def test_a_title_is_read_as_it_was_from_the_first_words_of_its_message(
    words: str, before: str, other: str
) -> None:
    openings = {"msg_1": words}
    for title in (before + words, other):
        item = Item("round:1", title, 0, pointer=Pointer(message_ids=["msg_1"]))
        kept = without_opening(item, openings)
        assert without_opening(kept, openings) == kept
        if not title.endswith(OPENING_MARK):
            assert with_opening(kept, openings) == item


@given(
    pointer=POINTERS,
    rest=TEXTS,
    title=TEXTS,
    prefix=st.sampled_from(["passage:", "round:", "message:", "file:", ""]),
)
def test_a_name_is_read_as_it_was(pointer: Pointer, rest: str, title: str, prefix: str) -> None:
    first = next(iter(pointer.message_ids), "")
    ends = (
        rest,
        first,
        pointer.round_id,
        f"{pointer.file_id or first}:{pointer.start_char}-{pointer.end_char}",
    )
    titles = (title, f"{pointer.path}, lines {pointer.start_line}-{pointer.end_line}")
    for name in titles:
        for end in ends:
            item = Item(f"{prefix}{end}", name, 0, pointer=pointer)
            if name != TITLE_MARK and item.id not in ("passage:", "round:", "message:"):
                assert restore_names(shorten_names(item)) == item


def test_names_that_follow_from_their_place_take_no_room() -> None:
    pointer = Pointer(file_id="fil_1", path="a.md", start_line=1, end_line=3, end_char=9)
    kept = shorten_names(Item("passage:fil_1:0-9", "a.md, lines 1-3", 5, pointer=pointer))
    assert (kept.id, kept.title) == ("passage:", TITLE_MARK)
