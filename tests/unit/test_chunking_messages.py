"""Messages are cut into code blocks, which stay whole, and the prose between them."""

from tertulia.retrieval.chunking.domain import ChunkKind
from tertulia.retrieval.chunking.message_chunks import chunk_message


def test_code_and_prose_are_apart() -> None:
    code = "```go\nfunc main() {\n\n\tprintln(1)\n}\n```"

    before, block, after = chunk_message(f"Try this:\n\n{code}\n\nIt prints one.")

    assert (before.content, after.content) == ("Try this:", "It prints one.")
    assert (block.content, block.kind, block.language) == (code, ChunkKind.CODE, "go")
    assert (block.start_line, block.end_line) == (3, 8)


def test_a_block_of_more_than_500_tokens_is_cut_and_its_parts_keep_the_language() -> None:
    chunks = list(chunk_message("```sql\n" + "SELECT name, age FROM people WHERE age > 30;\n" * 120 + "```"))

    assert len(chunks) > 2
    assert {chunk.language for chunk in chunks} == {"sql"}
    assert max(chunk.tokens for chunk in chunks) <= 500


def test_a_fence_that_never_ends_is_code_to_the_end() -> None:
    assert list(chunk_message("Look:\n```python\nprint(1)\n\nprint(2)"))[-1].content.endswith("print(2)")


def test_a_message_stays_one_chunk_when_cutting_is_off() -> None:
    text = "Words.\n\n" * 2_000

    (chunk,) = chunk_message(text, as_one_chunk=True)

    assert chunk.content == text.strip()
    assert chunk.summary == "Words."


def test_nothing_said_makes_no_chunk() -> None:
    assert list(chunk_message(" \n\t\n")) == []
