"""What members decide of retrieval for themselves, as far as their workspace lets them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import msgspec

from tertulia.core.errors import Invalid, NotAllowed
from tertulia.infra.db import Tx

#: Flags that touch nobody but the person who chooses them: `chunking` cuts what they alone can find.
PersonalFlag = Literal["hybrid", "chunking", "token_budget", "summary_frequency"]
PERSONAL_FLAGS: tuple[PersonalFlag, ...] = get_args(PersonalFlag)


class PersonalFlagNotAllowed(NotAllowed):
    """The workspace decides a flag for everybody."""

    code = "flag_not_allowed"

    def __init__(self, name: str) -> None:
        super().__init__(f"Your workspace decides {name} for everybody.")


class PersonalBudgetTooLarge(Invalid):
    """More tokens were wanted than the workspace lets a person have."""

    code = "token_budget_too_large"

    def __init__(self, *, most: int) -> None:
        super().__init__(f"Your workspace allows a token_budget of at most {most:,}.")


@dataclass(frozen=True, slots=True)
class Allowance:
    """What members may decide for themselves, and the most tokens of passages."""

    flags: tuple[PersonalFlag, ...] = PERSONAL_FLAGS
    token_budget_max: int | None = None

    @property
    def may_cut(self) -> bool:
        """Tell whether members decide how their own messages are cut."""
        return "chunking" in self.flags


@dataclass(frozen=True, slots=True)
class AllowanceRow:
    """What a workspace said of it; None where it said nothing."""

    personal_flags: list[str] | None
    personal_token_budget_max: int | None


def read_allowance(tx: Tx) -> Allowance:
    """Return what the workspace lets its members decide: all that can be, unless an admin said otherwise."""
    sql = """SELECT personal_flags, personal_token_budget_max FROM retrieval_preferences
        WHERE workspace_id = :workspace"""
    row = tx.one(AllowanceRow, sql)
    if row is None:
        return Allowance()
    named = PERSONAL_FLAGS if row.personal_flags is None else row.personal_flags
    return Allowance(tuple(flag for flag in PERSONAL_FLAGS if flag in named), row.personal_token_budget_max)


def change_allowance(tx: Tx, values: Mapping[str, object]) -> None:
    """Decide what members may decide; None leaves it to them."""
    for column in ("personal_flags", "personal_token_budget_max"):
        if column in values:
            tx.run(
                f"""INSERT INTO retrieval_preferences (workspace_id, chosen, {column})
                    VALUES (:workspace, '{{}}', :value)
                    ON CONFLICT (workspace_id) DO UPDATE SET {column} = :value""",
                value=values[column],
            )


def read_personal_flags(tx: Tx, user_id: str) -> dict[str, float]:
    """Return what a person chose, whether it is allowed now or not."""
    sql = """SELECT chosen FROM personal_retrieval_preferences
        WHERE workspace_id = :workspace AND user_id = :person"""
    kept = tx.value(sql, person=user_id)
    return {
        name: value for name, value in msgspec.json.decode(kept or "{}").items() if name in PERSONAL_FLAGS
    }


def list_people_who_chose(tx: Tx, flag: PersonalFlag) -> list[str]:
    """Return who decided a flag for themselves, whether they may now or not."""
    sql = "SELECT user_id, chosen FROM personal_retrieval_preferences WHERE workspace_id = :workspace"
    return [person for person, chosen in tx.rows(sql) if flag in msgspec.json.decode(chosen)]


def allowed_choices(chosen: Mapping[str, float], allowance: Allowance) -> dict[str, float]:
    """Return what of a person's choice holds: what is allowed, and no more tokens than are."""
    held = {name: value for name, value in chosen.items() if name in allowance.flags}
    most = allowance.token_budget_max
    if most is not None and held.get("token_budget", 0) > most:
        held["token_budget"] = most
    return held


def check_choice(values: Mapping[str, float | None], allowance: Allowance) -> None:
    """Raise for a choice that a member may not make; to give one back is always allowed."""
    for name, value in values.items():
        if value is not None and name not in allowance.flags:
            raise PersonalFlagNotAllowed(name)
    most = allowance.token_budget_max
    if most is not None and (values.get("token_budget") or 0) > most:
        raise PersonalBudgetTooLarge(most=most)


def save_personal_flags(tx: Tx, chosen: Mapping[str, float]) -> None:
    """Keep what the caller chose."""
    tx.run(
        """INSERT INTO personal_retrieval_preferences (workspace_id, user_id, chosen)
           VALUES (:workspace, :me, :chosen)
           ON CONFLICT (workspace_id, user_id) DO UPDATE SET chosen = :chosen""",
        chosen=dict(chosen),
    )
