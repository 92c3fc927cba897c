"""The second wall between workspaces: PostgreSQL itself shows a transaction only the rows of its workspace.

The first is `workspace_isolation`: statements bind `:workspace`. Behind it each table with a `workspace_id`
has a policy by which rows of others do not exist, also for the role that owns the tables. A superuser, or a
role with BYPASSRLS, is above policies: for them the first wall alone holds, and the log says so.
"""

import logging

import psycopg
from psycopg import sql

from tertulia.infra.db.postgres.migration import MIGRATION_LOCK_KEY
from tertulia.infra.db.statements import Row

log = logging.getLogger("tertulia.db")

#: The workspace whose rows a transaction sees; while it is not set, it sees none.
WORKSPACE_SETTING = "tertulia.workspace"
#: What housekeeping sets it to.
EVERY_WORKSPACE = "*"
POLICY_NAME = "one_workspace"
#: Read once for each statement and not for each row, which is why it stands in a query of its own.
SEEN_WORKSPACE_SQL = f"(SELECT current_setting('{WORKSPACE_SETTING}', true))"
TENANT_TABLES_SQL = """SELECT c.relname, c.relrowsecurity AND c.relforcerowsecurity
        AND EXISTS (SELECT 1 FROM pg_policy AS p WHERE p.polrelid = c.oid)
    FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
    AND a.attname = 'workspace_id' AND NOT a.attisdropped ORDER BY c.relname"""
IS_ABOVE_POLICIES_SQL = "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"


def see_every_workspace(connection: psycopg.Connection[Row]) -> None:
    """Let a connection see all rows until it is closed: for migrations."""
    connection.execute("SELECT set_config(%s, %s, false)", [WORKSPACE_SETTING, EVERY_WORKSPACE])


def secure_tables(connection: psycopg.Connection[Row]) -> frozenset[str]:
    """Give every table of people's data its policy, and return these tables."""
    tables = read_tenant_tables(connection)
    if not all(tables.values()):
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", [MIGRATION_LOCK_KEY])
            for table, is_secured in read_tenant_tables(connection).items():
                if not is_secured:
                    secure_table(connection, table)
    return frozenset(tables)


def read_tenant_tables(connection: psycopg.Connection[Row]) -> dict[str, bool]:
    """Return the tables that hold people's data, and whether each has its policy."""
    return {str(table): bool(is_secured) for table, is_secured in connection.execute(TENANT_TABLES_SQL)}


def secure_table(connection: psycopg.Connection[Row], table: str) -> None:
    """Let rows of a table be seen and written only where its workspace is the transaction's."""
    name = sql.Identifier(table)
    seen = sql.SQL(SEEN_WORKSPACE_SQL)
    rule = sql.SQL("workspace_id = {} OR {} = {}").format(seen, seen, EVERY_WORKSPACE)
    connection.execute(sql.SQL("ALTER TABLE {} ENABLE ROW LEVEL SECURITY").format(name))
    connection.execute(sql.SQL("ALTER TABLE {} FORCE ROW LEVEL SECURITY").format(name))
    connection.execute(
        sql.SQL("CREATE POLICY {} ON {} USING ({})").format(sql.Identifier(POLICY_NAME), name, rule)
    )


def warn_of_superuser(connection: psycopg.Connection[Row]) -> None:
    """Say in the log where the role is above policies."""
    [(is_above,)] = connection.execute(IS_ABOVE_POLICIES_SQL).fetchall()
    if is_above:
        log.warning(
            "DATABASE_URL names a role to which PostgreSQL applies no row-level security. Workspaces are "
            "kept apart by Tertulia alone; give it a role that is no superuser and has no BYPASSRLS."
        )
