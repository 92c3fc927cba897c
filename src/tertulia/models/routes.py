"""Models, connections and presets over HTTP."""

from typing import Annotated

from fastapi import Depends, Request

from tertulia.infra.http.dependencies import get_part
from tertulia.infra.http.identity import Me, Member
from tertulia.infra.http.routing import Router
from tertulia.infra.http.schema import omit_unset
from tertulia.models.schemas import (
    AddConnection,
    ChangeConnection,
    ConnectionsView,
    ConnectionView,
    MetadataList,
    ModelsView,
    PresetBody,
    PresetChange,
    PresetsView,
    PresetView,
    TrialView,
)
from tertulia.models.service import Models


async def _models(request: Request) -> Models:
    return get_part(request, Models)


AllModels = Annotated[Models, Depends(_models)]
router = Router(prefix="/api", tags=["models"])


@router.get("/models")
async def list_models(me: Me, models: AllModels) -> ModelsView:
    """List the models you can ask, with what is known of each."""
    return ModelsView.of(await models.catalogue(me))


@router.get("/models/metadata")
async def list_metadata(me: Me, models: AllModels) -> MetadataList:
    """List windows, costs, tiers and capabilities."""
    return MetadataList.of(await models.catalogue(me))


@router.post("/models/metadata/refresh")
async def refresh_metadata(me: Member, models: AllModels) -> MetadataList:
    """Ask every server for its models now."""
    return MetadataList.of(await models.refresh(me))


@router.get("/connections")
async def list_connections(me: Me, models: AllModels) -> ConnectionsView:
    """List the connections you see: your own, the workspace's and the server's."""
    found = await models.connections(me)
    return ConnectionsView(
        connections=[ConnectionView.model_validate(connection_summary) for connection_summary in found]
    )


@router.post("/connections", status_code=201)
async def add_connection(body: AddConnection, me: Member, models: AllModels) -> ConnectionView:
    """Add a connection. The workspace's needs an admin; your own (`personal`) does not."""
    return ConnectionView.model_validate(await models.add_connection(body.to_new(), me))


@router.put("/connections/{connection_id}")
async def change_connection(
    connection_id: str, body: ChangeConnection, me: Member, models: AllModels
) -> ConnectionView:
    """Change a connection's address or key."""
    return ConnectionView.model_validate(await models.change_connection(connection_id, body.to_change(), me))


@router.delete("/connections/{connection_id}", status_code=204)
async def remove_connection(connection_id: str, me: Member, models: AllModels) -> None:
    """Remove a connection with its key."""
    await models.remove_connection(connection_id, me)


@router.post("/connections/{connection_id}/test")
async def try_connection(connection_id: str, me: Member, models: AllModels) -> TrialView:
    """Ask a connection for its models, and hear what is wrong if it cannot answer."""
    return TrialView.model_validate(await models.test_connection(connection_id, me))


@router.get("/presets")
async def list_presets(me: Me, models: AllModels) -> PresetsView:
    """List the workspace's presets by name."""
    return PresetsView(
        presets=[PresetView.model_validate(preset) for preset in await models.presets.list_all(me)]
    )


@router.post("/presets", status_code=201)
async def add_preset(body: PresetBody, me: Member, models: AllModels) -> PresetView:
    """Save a table of models under a name."""
    return PresetView.model_validate(await models.presets.add(body.to_draft(), me))


@router.put("/presets/{preset_id}")
async def change_preset(preset_id: str, body: PresetChange, me: Member, models: AllModels) -> PresetView:
    """Change a preset; fields that are left out stay as they are."""
    return PresetView.model_validate(await models.presets.change(preset_id, omit_unset(body), me))


@router.delete("/presets/{preset_id}", status_code=204)
async def remove_preset(preset_id: str, me: Member, models: AllModels) -> None:
    """Remove a preset."""
    await models.presets.remove(preset_id, me)
