"""The one place where a workspace's data is kept apart from every other's.

A table with a `workspace_id` column holds people's data. A statement that names
such a table must bind `:workspace`, and the value bound is always the
principal's own: a store cannot forget it and a caller cannot forge it. Only
housekeeping, which has no principal, may look across workspaces.
"""

import re

from tertulia.infra.db.errors import UnscopedStatement

TABLE_NAME_PATTERN = re.compile(r"\b(?:FROM|JOIN|INTO|UPDATE)\s+([a-z_]+)", re.IGNORECASE)


def check_scoped(sql: str, tenant_tables: frozenset[str]) -> None:
    """Raise unless a statement on people's data binds the workspace it is about."""
    if ":workspace" in sql:
        return
    if named := tenant_tables.intersection(TABLE_NAME_PATTERN.findall(sql)):
        raise UnscopedStatement(f"{', '.join(sorted(named))} read or written without :workspace in {sql!r}")
