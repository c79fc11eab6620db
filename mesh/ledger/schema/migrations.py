"""The version of a ledger's schema, and the steps that bring an older ledger to the newest.

A new ledger is made from the schema itself (`tables`, `trace_tables`) and gets the newest version at once. After the
first release every change of the schema comes with a step appended to `MIGRATIONS`, for the ledgers that are there.
All steps that are missing run in one transaction, so that a ledger has one version or another and nothing between.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from sqlalchemy import Connection, create_mock_engine, inspect, text

from judgemesh.contracts.errors import LedgerError
from judgemesh.mesh.ledger.schema import trace_tables
from judgemesh.mesh.ledger.schema.summary_queries import make_summaries
from judgemesh.mesh.ledger.schema.views import CREATE_VIEWS, make_views
from judgemesh.mesh.ledger.sqlite_driver import run_on_sqlite

_METADATA: Final = trace_tables.trace_run.metadata
_SCHEMA_MIGRATION: Final = _METADATA.tables["schema_migration"]


@dataclass(frozen=True, slots=True)
class Migration:
    """One step, never edited once it is released.

    apply: what brings a ledger of the version before to this one. It writes its SQL out, for each database: the tables
        in `tables` go on changing. None for the first version, which nothing precedes.
    """

    version: int
    name: str
    apply: Callable[[Connection], None] | None = None


def _add_trace_parts(connection: Connection) -> None:
    binary = _binary(connection)
    connection.execute(
        text(
            "CREATE TABLE trace_part (trace_id TEXT NOT NULL, digest TEXT NOT NULL, family TEXT NOT NULL,"
            f" body {binary} NOT NULL, PRIMARY KEY (trace_id, digest))"
        )
    )


def _add_result_content(connection: Connection) -> None:
    binary = _binary(connection)
    connection.execute(
        text(
            f"CREATE TABLE eval_result_content (eval_id TEXT NOT NULL, body {binary} NOT NULL,"
            " full_bytes BIGINT NOT NULL, cut_at_bytes BIGINT, PRIMARY KEY (eval_id),"
            " FOREIGN KEY (eval_id) REFERENCES eval_task_result (eval_id) ON DELETE CASCADE)"
        )
    )


def _add_report_log_and_leases(connection: Connection) -> None:
    on_server = connection.dialect.name == "postgresql"
    now = "(now() AT TIME ZONE 'utc')" if on_server else "CURRENT_TIMESTAMP"
    for statement in (
        (
            "CREATE TABLE report_log (run_id TEXT NOT NULL, seq BIGINT NOT NULL, eval_id TEXT NOT NULL,"
            " report_digest TEXT NOT NULL, previous_digest TEXT NOT NULL, entry_digest TEXT NOT NULL,"
            f" created_at TIMESTAMP DEFAULT {now} NOT NULL, PRIMARY KEY (run_id, seq),"
            " FOREIGN KEY (run_id) REFERENCES eval_run (run_id))"
        ),
        "CREATE INDEX ix_report_log_eval ON report_log (eval_id)",
        (
            "CREATE TABLE run_lease (run_id TEXT NOT NULL, token TEXT NOT NULL, machine TEXT NOT NULL,"
            " pid BIGINT NOT NULL,"
            f" created_at TIMESTAMP DEFAULT {now} NOT NULL, renewed_at TIMESTAMP NOT NULL, PRIMARY KEY (run_id),"
            " FOREIGN KEY (run_id) REFERENCES eval_run (run_id))"
        ),
    ):
        connection.execute(text(statement))


def _binary(connection: Connection) -> str:
    return "BYTEA" if connection.dialect.name == "postgresql" else "BLOB"


def _add_nothing(_: Connection) -> None:
    """`migrate` makes the views and the summary rows after the last step, whatever the steps are."""


MIGRATIONS: Final[tuple[Migration, ...]] = (
    Migration(4, "schema of 0.1.0"),
    Migration(5, "parts of traces", _add_trace_parts),
    Migration(6, "views for dashboards", _add_nothing),
    Migration(7, "content of results", _add_result_content),
    Migration(8, "summary rows", _add_nothing),
    Migration(9, "log of reports, leases of runs", _add_report_log_and_leases),
)
"""Versions 1 to 3 were never released. Counting on from them makes the judgemesh that wrote them refuse ours."""

_POSTGRESQL_LOCK: Final = 0x6A75_6467
"""Key of the advisory lock that several first openers race for; SQLite's write transaction needs none."""


def migrate(
    connection: Connection, migrations: Sequence[Migration] = MIGRATIONS
) -> int:
    """Bring the open write transaction's database to the last of `migrations`; its version.

    Raises:
        LedgerError: the database is newer or older than `migrations`, or holds tables that are not a ledger's.
    """
    if connection.dialect.name == "postgresql":
        lock = text("SELECT pg_advisory_xact_lock(:key)")
        connection.execute(lock, {"key": _POSTGRESQL_LOCK})
    present = version_of(connection)
    check_version(present, migrations)
    newest = migrations[-1]
    if present is None:
        _create(connection)
        _record(connection, newest)
        return newest.version
    for migration in migrations:
        if migration.version > present and migration.apply is not None:
            migration.apply(connection)
            _record(connection, migration)
    if present < newest.version:
        make_views(connection)
        make_summaries(connection)
    return newest.version


def _create(connection: Connection) -> None:
    """Make tables, indexes and views."""
    if connection.dialect.name != "sqlite":
        _METADATA.create_all(connection, checkfirst=False)
        make_views(connection)
        return
    for statement in (*_sqlite_tables(), *CREATE_VIEWS):
        run_on_sqlite(connection, statement, ())


@cache
def _sqlite_tables() -> tuple[str, ...]:
    """What creates the tables and their indexes. To compile it takes longer than to run it."""
    statements: list[str] = []

    def note(statement: Any, *_: object, **__: object) -> None:
        statements.append(str(statement.compile(dialect=engine.dialect)))

    engine = create_mock_engine("sqlite://", note)
    _METADATA.create_all(engine, checkfirst=False)
    return tuple(statements)


_NEWEST: Final = "SELECT coalesce(max(version), 0) FROM schema_migration"
_SQLITE_TABLES: Final = (
    "SELECT name FROM sqlite_master"
    r" WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY name"
)
"""What the inspection of SQLAlchemy finds, which takes ten times as long to make the same query."""


def version_of(connection: Connection) -> int | None:
    """The schema version of a database; None for a new one.

    Raises:
        LedgerError: an SQLite file that some other program filled.
    """
    on_sqlite = connection.dialect.name == "sqlite"
    tables = (
        connection.exec_driver_sql(_SQLITE_TABLES).scalars().all()
        if on_sqlite
        else inspect(connection).get_table_names()
    )
    if _SCHEMA_MIGRATION.name in tables:
        return int(connection.exec_driver_sql(_NEWEST).scalar_one())
    if tables and on_sqlite:
        raise LedgerError(
            f"is a database of another program (it has a table {tables[0]!r}); choose another file"
        )
    return None


def check_version(
    present: int | None,
    migrations: Sequence[Migration] = MIGRATIONS,
    *,
    exactly: bool = False,
) -> None:
    """Refuse a ledger that this judgemesh cannot use.

    present: the ledger's version, None for an empty one. exactly: refuse an empty or older ledger too, which can be
    migrated by writing only.

    Raises:
        LedgerError: says why, with the versions, and what to do.
    """
    oldest, newest = migrations[0].version, migrations[-1].version
    if present is None:
        if exactly:
            raise LedgerError("is empty; `judgemesh grade --ledger` fills one")
        return
    if present > newest:
        raise LedgerError(
            f"has schema version {present}, this judgemesh knows versions up to {newest}; upgrade judgemesh"
        )
    if present < oldest:
        raise LedgerError(
            f"has schema version {present}, from before the first release, which cannot be migrated; "
            "name a new ledger and grade again"
        )
    if exactly and present < newest:
        raise LedgerError(
            f"has the older schema version {present}; `judgemesh grade --ledger` brings it to version {newest}"
        )


def _record(connection: Connection, migration: Migration) -> None:
    row = {"version": migration.version, "name": migration.name}
    statement = "INSERT INTO schema_migration (version, name) VALUES (:version, :name)"
    connection.execute(text(statement), row)
