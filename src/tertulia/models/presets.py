"""Presets: named tables of several models that are asked together."""

from dataclasses import dataclass
from datetime import datetime

from tertulia.core.clock import now
from tertulia.core.errors import Conflict, Invalid, Limited, NotFound
from tertulia.core.ids import new_id
from tertulia.core.json_object import JsonObject
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Database, Tx
from tertulia.models.calls import Effort

PRESET_MODELS_MAX = 1_000
PRESETS_MAX = 200
PRESET_NAME_MAX_CHARS = 100
MODEL_REFERENCE_MAX_CHARS = 300


class PresetInvalid(Invalid):
    """A preset does not name what it needs."""

    code = "preset_invalid"


@dataclass(frozen=True, slots=True)
class PresetDraft:
    """What a person says about a preset; the same model may sit at the table twice."""

    name: str
    models: tuple[str, ...]
    merge_model: str | None = None
    #: How long each of them should think; empty: all as they like.
    efforts: tuple[Effort | None, ...] = ()

    def __post_init__(self) -> None:
        if not 0 < len(self.name.strip()) <= PRESET_NAME_MAX_CHARS:
            raise PresetInvalid(
                f"Give the preset a name of at most {PRESET_NAME_MAX_CHARS} characters.", field="name"
            )
        if not 1 <= len(self.models) <= PRESET_MODELS_MAX:
            raise PresetInvalid(f"A preset has 1 to {PRESET_MODELS_MAX} models.", field="models")
        if len(self.efforts) not in (0, len(self.models)):
            raise PresetInvalid("Give each model of a preset its effort, or none of them.", field="efforts")
        named = [*self.models, *([] if self.merge_model is None else [self.merge_model])]
        if not all(0 < len(reference) <= MODEL_REFERENCE_MAX_CHARS for reference in named):
            raise PresetInvalid("Every model in a preset needs a name.", field="models")


@dataclass(frozen=True, slots=True)
class Preset:
    """A preset as it is kept."""

    id: str
    name: str
    models: tuple[str, ...]
    merge_model: str | None
    created_by: str
    created_at: datetime
    updated_at: datetime
    efforts: tuple[Effort | None, ...] = ()


class Presets:
    """The verbs on presets: every member of the workspace shares them."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def list_all(self, by: Principal) -> list[Preset]:
        """Return the workspace's presets by name."""
        return await self._db.read(list_presets, by=by)

    async def add(self, draft: PresetDraft, by: Principal) -> Preset:
        """Store a new preset."""
        by.require(Role.MEMBER)
        made = now()
        preset = Preset(
            id=new_id("pre"),
            name=draft.name.strip(),
            models=draft.models,
            merge_model=draft.merge_model,
            created_by=by.user_id,
            created_at=made,
            updated_at=made,
            efforts=draft.efforts,
        )
        await self._db.write(lambda tx: insert(tx, preset), by=by)
        return preset

    async def change(self, preset_id: str, values: JsonObject, by: Principal) -> Preset:
        """Change what is given of a preset."""
        by.require(Role.MEMBER)
        return await self._db.write(lambda tx: update(tx, preset_id, values), by=by)

    async def remove(self, preset_id: str, by: Principal) -> None:
        """Delete a preset."""
        by.require(Role.MEMBER)

        def write(tx: Tx) -> None:
            get(tx, preset_id)
            tx.run("DELETE FROM presets WHERE id = :id AND workspace_id = :workspace", id=preset_id)

        await self._db.write(write, by=by)


def list_presets(tx: Tx) -> list[Preset]:
    """Return the workspace's presets by name."""
    return tx.all(Preset, "SELECT * FROM presets WHERE workspace_id = :workspace ORDER BY name, id")


def get(tx: Tx, preset_id: str) -> Preset:
    """Return one of the workspace's presets, or raise."""
    sql = "SELECT * FROM presets WHERE id = :id AND workspace_id = :workspace"
    preset = tx.one(Preset, sql, id=preset_id)
    if preset is None:
        raise NotFound("preset")
    return preset


def insert(tx: Tx, preset: Preset) -> None:
    """Store a new preset unless its name is taken."""
    if len(list_presets(tx)) >= PRESETS_MAX:
        raise Limited(f"A workspace can have {PRESETS_MAX} presets: remove one first.")
    sql = """
        INSERT INTO presets (id, workspace_id, name, models, merge_model, efforts, created_by, created_at,
          updated_at)
        VALUES (:id, :workspace, :name, :models, :merge_model, :efforts, :created_by, :created_at,
          :updated_at)
        ON CONFLICT DO NOTHING"""
    if not tx.change(sql, **{name: getattr(preset, name) for name in Preset.__slots__}):
        raise name_taken_error(preset.name)


def update(tx: Tx, preset_id: str, values: JsonObject) -> Preset:
    """Change a preset unless its new name is another's."""
    draft = apply_changes(get(tx, preset_id), values)
    name = draft.name.strip()
    if any(other.name == name and other.id != preset_id for other in list_presets(tx)):
        raise name_taken_error(name)
    sql = """
        UPDATE presets
        SET name = :name, models = :models, merge_model = :merge_model, efforts = :efforts,
          updated_at = :updated_at
        WHERE id = :id AND workspace_id = :workspace"""
    tx.run(
        sql,
        id=preset_id,
        name=name,
        models=draft.models,
        merge_model=draft.merge_model,
        efforts=draft.efforts,
        updated_at=now(),
    )
    return get(tx, preset_id)


def apply_changes(preset: Preset, values: JsonObject) -> PresetDraft:
    """Return a preset as it is to be; efforts that fit another number of models are given up."""
    models = tuple(values.get("models", preset.models))
    kept = preset.efforts if len(models) == len(preset.models) else ()
    return PresetDraft(
        name=values.get("name", preset.name),
        models=models,
        merge_model=values.get("merge_model", preset.merge_model),
        efforts=tuple(values.get("efforts", kept)),
    )


def name_taken_error(name: str) -> Conflict:
    """Return the error for a name that is in use."""
    return Conflict(f"There is already a preset called {name!r}: choose another name.")
