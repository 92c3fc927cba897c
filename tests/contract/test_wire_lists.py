"""Every format's list of models, page by page."""

from tests.contract.asking import Adapter
from tests.scripted_provider import Script

from tertulia.models.calls import OfferedModel


async def test_the_listed_models_are_offered(adapter: Adapter) -> None:
    names = [model.name for model in await adapter.provider().offered()]

    assert names == ["scripted-smart", "scripted-fast"]


async def test_a_list_is_followed_through_all_its_pages(adapter: Adapter) -> None:
    adapter.scripted.server.page_size = 2
    for number in range(5):
        adapter.scripted.script(f"model-{number}", Script())
    names = [model.name for model in await adapter.provider().offered()]

    assert names == ["scripted-smart", "scripted-fast", *(f"model-{number}" for number in range(5))]


async def test_what_a_list_says_of_a_model_is_kept(adapter: Adapter) -> None:
    adapter.scripted.script("big", Script(title="Big One", window=200_000, output_limit=32_000))
    models = {model.name: model for model in await adapter.provider().offered()}

    assert models["big"] == OfferedModel("big", title="Big One", window=200_000, output_limit=32_000)
    assert models["scripted-fast"].window is None
