"""A ledger as an earlier version of judgemesh left it."""

from __future__ import annotations

from sqlalchemy import Connection, text

from judgemesh.mesh.ledger.schema.summary_tables import SUMMARY_TABLES
from judgemesh.mesh.ledger.schema.views import VIEWS


def make_older(connection: Connection, version: int) -> None:
    """Take from the open ledger, of the newest schema, what the versions after `version` added to it."""
    added: dict[int, list[str]] = {
        9: ["TABLE report_log", "TABLE run_lease"],
        8: [f"TABLE {table.name}" for table in reversed(SUMMARY_TABLES)],
        7: ["TABLE eval_result_content"],
        6: [f"VIEW {name}" for name in reversed(tuple(VIEWS))],
    }
    for later, names in added.items():
        if later > version:
            for name in names:
                connection.execute(text(f"DROP {name}"))
    connection.execute(text("DELETE FROM schema_migration"))
    older = "INSERT INTO schema_migration (version, name) VALUES (:version, 'older')"
    connection.execute(text(older), {"version": version})
