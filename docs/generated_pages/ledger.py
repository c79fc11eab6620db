"""The page of tables and views: every column of the ledger, from the schema itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import create_engine, text
from sqlalchemy.dialects import postgresql, sqlite

from generated_pages.markdown import code, table
from judgemesh.mesh.ledger.schema.migrations import MIGRATIONS
from judgemesh.mesh.ledger.schema.tables import METADATA
from judgemesh.mesh.ledger.schema.views import VIEWS, make_views

_DATABASES: tuple[Any, ...] = (sqlite.dialect(), postgresql.dialect())  # type: ignore[no-untyped-call]


def page() -> str:
    """The whole page."""
    head = (
        f"# Tables and views\n\nEvery column of a ledger of schema version {MIGRATIONS[-1].version}."
        " [The ledger](../reference/ledger.md) says what a row of each table is;"
        " [dashboards](../how-to/dashboards.md) describes the views.\n"
    )
    return head + "".join(_tables()) + "".join(_views())


def _tables() -> Iterator[str]:
    for found in METADATA.sorted_tables:
        rows = [_column(column) for column in found.columns]
        heads = ("column", "SQLite", "PostgreSQL", "")
        yield f"\n## {found.name}\n\n{table(heads, rows)}"


def _column(column: Any) -> tuple[str, ...]:
    types = (code(column.type.compile(dialect=database)) for database in _DATABASES)
    targets = [code(key.target_fullname) for key in column.foreign_keys]
    notes = [
        *(["primary key"] if column.primary_key else []),
        *(f"refers to {target}" for target in targets),
        *([] if column.nullable or column.primary_key else ["not null"]),
    ]
    return code(column.name), *types, ", ".join(notes)


def _views() -> Iterator[str]:
    engine = create_engine("sqlite://")
    with engine.begin() as connection:
        METADATA.create_all(connection)
        make_views(connection)
        for name in VIEWS:
            found = connection.execute(text(f"SELECT * FROM {name} LIMIT 0"))  # noqa: S608 (a view of our own)
            columns = ", ".join(code(column) for column in found.keys())  # noqa: SIM118 (a result set is no mapping)
            yield f"\n## {name}\n\nA view. Columns: {columns}.\n"
    engine.dispose()
