"""Of a file that comes with a question, a prompt shows whole lines from the beginning, as many as fit."""

from dataclasses import replace

from hypothesis import example, given
from hypothesis import strategies as st
from tests.prompt_cases import Case, cases, some

from tertulia.context.domain import RecalledPassage, RecallResult
from tertulia.context.file_truncation import truncate_to_tokens
from tertulia.context.passage_selection import FILES_MAX_SHARE
from tertulia.context.prompt_plan import SectionKind, WhyNot
from tertulia.conversations.domain import Passage

lines = st.lists(st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=30), min_size=1)


def file_of(text: str, name: str = "f1") -> RecalledPassage:
    place = Passage(0, "file", name, "p", 0, len(text), 9, path=f"{name}.md", start_line=1)
    return RecalledPassage(replace(place, end_line=text.count("\n") + 1), text, is_included_file=True)


@example("00\n00", 4)
@example("title\n" + 30 * "x", 20)
@given(lines.map("\n".join).filter(str.strip), st.integers(0, 400))
def test_the_beginning_fits_and_is_one(text: str, most: int) -> None:
    kept = truncate_to_tokens(file_of(text), most, lambda one: len(one.text))
    if kept is None:
        assert most == 0 or text[:most].strip("\n") == ""
        return
    assert len(kept.text) <= most
    assert text.startswith(kept.text)
    assert kept.goes_on == (kept.text != text)
    assert kept.passage.end_line == kept.text.count("\n") + 1
    ends_inside_a_line = text != kept.text and text[len(kept.text)] != "\n"
    if ends_inside_a_line and "\n" in kept.text.lstrip("\n"):
        start = kept.text.rindex("\n") + 1
        assert len(text[start:].partition("\n")[0]) > most


@some
@given(cases(), st.sampled_from([1, 40, 3_000]), st.booleans())
def test_files_at_hand_take_more_than_their_share_only_where_nothing_else_needs_it(
    case: Case, length: int, always: bool
) -> None:
    files = tuple(file_of("so it is written\n" * length + name, name) for name in ("f1", "f2"))
    memory = RecallResult(always=files) if always else RecallResult(named=files)
    inputs = replace(case.inputs, memory=memory, can_read=False, leave_out=frozenset())
    prompt = replace(case, inputs=inputs).prompt()
    if prompt is None:
        return
    kind = SectionKind.FILES if always else SectionKind.PASSAGES
    shown = {item.id: item for one in prompt.plan.sections if one.kind is kind for item in one.items}
    left = {one.item.id: one.reason for one in prompt.plan.left_out if one.section is kind}
    for file in files:
        name = f"file:{file.passage.source_id}"
        cut = name in shown and shown[name].pointer.end_char < len(file.text)
        assert (name in shown) != (name in left)
        assert (left.get(f"{name}:rest") is WhyNot.REST) == cut
    if sum(item.tokens for item in shown.values()) > FILES_MAX_SHARE * prompt.plan.limit:
        assert not always
        no_room = {one.section for one in prompt.plan.left_out if one.reason is WhyNot.NO_ROOM}
        assert no_room <= {SectionKind.PASSAGES, SectionKind.QUESTION}
