"""Blocks in text: found wherever the text is cut, and nothing else is taken for one."""

import json

from hypothesis import example, given
from hypothesis import strategies as st

from tertulia.agents.fence_reader import FenceReader, ToolBlock

SCRAPS = st.sampled_from(
    [
        "```",
        "```tool",
        "```tool\n",
        "\n```",
        "\n",
        "`",
        "``",
        " ",
        "    ",
        "{",
        "}",
        '{"a": 1}',
        "tool",
        "```python\n",
        "x",
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | SCRAPS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def read(pieces: list[str]) -> list[str | ToolBlock]:
    """Return all that a reader makes of pieces, with neighbouring text joined."""
    reader = FenceReader()
    found = [one for piece in pieces for one in reader.feed(piece)] + reader.finish()
    joined: list[str | ToolBlock] = []
    for one in found:
        if isinstance(one, str) and joined and isinstance(joined[-1], str):
            joined[-1] += one
        else:
            joined.append(one)
    return joined


def cut(text: str, places: list[int]) -> list[str]:
    ends = sorted(place % (len(text) + 1) for place in places)
    return [text[a:b] for a, b in zip([0, *ends], [*ends, len(text)], strict=True)]


@given(
    st.lists(SCRAPS | st.text(max_size=4), max_size=12).map("".join), st.lists(st.integers(0), max_size=12)
)
@example("a\n```tool", [3, 5])
@example("```tool{}```tool", [7, 8, 9, 10, 11])
def test_however_text_is_cut_the_same_comes_out(text: str, places: list[int]) -> None:
    assert read(cut(text, places)) == read([text]) == read(list(text))


@given(
    st.text(alphabet=st.characters(exclude_characters="`")),
    st.dictionaries(st.text(max_size=5), VALUES, max_size=3),
    st.booleans(),
    st.integers(0, 2),
)
def test_a_block_is_found_behind_any_text_whatever_its_json_holds(
    text: str, value: dict[str, object], on_lines: bool, indent: int
) -> None:
    before = f"{text}\n" if text else ""
    body = json.dumps(value, ensure_ascii=False, indent=indent or None)
    block = f"```tool\n{body}\n```" if on_lines else f"```tool {body}```"

    found = read(list(before + block))

    assert [one for one in found if isinstance(one, str)] == ([before] if before else [])
    assert [json.loads(one.body) for one in found if isinstance(one, ToolBlock)] == [value]


@given(st.text().filter(lambda text: "```tool" not in text))
def test_text_without_blocks_comes_out_as_it_was(text: str) -> None:
    assert "".join(one for one in read(list(text)) if isinstance(one, str)) == text


@given(st.text(alphabet=" `tol\n{}x", max_size=40))
def test_only_a_fence_at_the_beginning_of_a_line_opens_a_block(text: str) -> None:
    opens = any(
        line.lstrip(" ").startswith("```tool") and len(line) - len(line.lstrip(" ")) <= 3
        for line in text.split("\n")
    )
    assert opens or not any(isinstance(one, ToolBlock) for one in read([text]))


def test_text_is_told_at_once_and_only_what_may_become_a_block_is_held_back() -> None:
    reader = FenceReader()
    assert reader.feed("Hello, wor") == ["Hello, wor"]
    assert reader.feed("ld `code` ```") == ["ld `code` ```"]
    assert reader.feed("\n``") == ["\n"]
    assert reader.feed("`to") == []
    assert reader.feed("fu") == ["```tofu"]
    assert reader.feed("\n```tool") == ["\n"]
    assert reader.feed('\n{"name": "a"}') == []
    assert reader.feed("\n```") == [ToolBlock('\n{"name": "a"}\n')]


def test_a_block_that_is_never_closed_ends_with_the_text() -> None:
    assert read(['```tool\n{"name": "a"}']) == [ToolBlock('\n{"name": "a"}')]
    assert read(["```tool\n{oops\n```\nafter"]) == [ToolBlock("\n{oops\n"), "\nafter"]
