"""Any text, cut anywhere, arrives as it was sent."""

import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.contract.asking import MODEL, Adapter
from tests.effort import effort
from tests.scripted_provider import Fault, Script, ScriptedProvider, ScriptedUsage

USAGE = ScriptedUsage(input=1, output=1)


@pytest.mark.parametrize("kind", ["openai", "anthropic", "google"])
@settings(max_examples=effort(30))
@given(pieces=st.lists(st.text(max_size=20), max_size=8), size=st.integers(1, 200))
async def test_any_text_in_any_pieces_arrives_unchanged(
    shared_provider: ScriptedProvider, kind: str, pieces: list[str], size: int
) -> None:
    split = Fault(kind="split", size=size)
    shared_provider.script(MODEL, Script(reply=pieces, thinking=pieces, usage=USAGE, fault=split))
    async with httpx2.AsyncClient(verify=False) as client:
        reply = await Adapter(kind, provider=shared_provider, client=client).ask()

    assert reply.text == "".join(pieces)
    assert reply.thinking == "".join(pieces)
    assert reply.finished == ["done"]
