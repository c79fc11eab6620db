"""Rows become values for the driver of a database; columns that no row fills are left out.

A column costs a statement as much where it is null, and of the columns of an opinion most runs fill half. A table's
statement has the columns that some row has filled so far in this process, so that it changes seldom.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from operator import itemgetter
from typing import Any, Final, NamedTuple, TypeAlias, cast

from sqlalchemy import Column, Dialect, Table

from judgemesh.mesh.ledger.schema.columns import Row
from judgemesh.mesh.ledger.statements.conversion import Conversion

_KEPT: Final = 256
"""Bindings that are kept: tables times the sets of columns that rows give."""


class BoundRows(NamedTuple):
    """Rows of a table as the driver of a database takes them, to be inserted here or by another process.

    names: their columns, in the order of the table. values: those of all rows, converted, row by row.
    """

    names: tuple[str, ...]
    values: list[Any]

    def rows(self) -> Iterator[list[Any]]:
        """The values of each row."""
        width = len(self.names)
        for start in range(0, len(self.values), width):
            yield self.values[start : start + width]

    def column(self, name: str) -> list[Any]:
        """The values of a column, row by row."""
        return self.values[self.names.index(name) :: len(self.names)]

    def among(self, name: str, held: Collection[Any]) -> BoundRows:
        """The rows whose value in a column is one of these."""
        place = self.names.index(name)
        kept = (row for row in self.rows() if row[place] in held)
        return BoundRows(self.names, list(chain.from_iterable(kept)))


def bind_rows(table: Table, dialect: Dialect, rows: Sequence[Row]) -> BoundRows:
    """Rows that all give the same columns, converted for a database.

    Raises:
        KeyError: a row lacks a column that the first row gives.
        ValueError: a column cannot hold a value.
    """
    return _binding(table, compiling(dialect), tuple(rows[0])).bound(rows)


def compiling(dialect: Dialect) -> Dialect:
    """The dialect that statements are compiled with. Every engine has one of its own, and those of SQLite are alike."""
    return (
        _OF_SQLITE.setdefault(dialect.name, dialect)
        if dialect.name == "sqlite"
        else dialect
    )


_OF_SQLITE: Final[dict[str, Dialect]] = {}
"""The dialect of the first engine, once there is one."""


_Values: TypeAlias = Callable[[Row], tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class _Shape:
    """The columns of a statement. filled, left_out: their values in a row, and those of all other columns."""

    names: tuple[str, ...]
    conversion: Conversion
    filled: _Values
    left_out: _Values
    nulls: tuple[None, ...]

    def holds(self, rows: Sequence[Row]) -> bool:
        """Whether the other columns of all rows are null."""
        return not any(map(self.nulls.__ne__, map(self.left_out, rows)))


class _Binding:
    """How the rows of a table that give these columns, in the order of the table, become values."""

    def __init__(self, table: Table, dialect: Dialect, names: Sequence[str]) -> None:
        self._table = table
        self._dialect = dialect
        self._names = names
        optional = [name for name in names if _may_be_left_out(table.c[name])]
        # A statement has a column at least.
        self._shape = self._without(optional if len(optional) < len(names) else ())

    def bound(self, rows: Sequence[Row]) -> BoundRows:
        """The rows, converted."""
        shape = self._shape
        if not shape.holds(rows):
            # Another thread may do so at the same time: each goes on with its own, and either is kept.
            shape = self._shape = self._wider(shape, rows)
        values = list(chain.from_iterable(map(shape.filled, rows)))
        shape.conversion.apply(values)
        return BoundRows(shape.names, values)

    def _wider(self, shape: _Shape, rows: Sequence[Row]) -> _Shape:
        """With the columns that these rows fill, too."""
        missing = [name for name in self._names if name not in shape.names]
        return self._without(
            [name for name in missing if all(row[name] is None for row in rows)]
        )

    def _without(self, left_out: Collection[str]) -> _Shape:
        names = tuple(name for name in self._names if name not in left_out)
        types = [self._table.c[name].type for name in names]
        return _Shape(
            names=names,
            conversion=Conversion.of(types, self._dialect),
            filled=_several(names),
            left_out=_several(tuple(left_out)),
            nulls=(None,) * len(left_out),
        )


def _may_be_left_out(column: Column[Any]) -> bool:
    """A null is what the database puts in its place."""
    return bool(column.nullable) and column.server_default is None


@lru_cache(maxsize=_KEPT)
def _binding(table: Table, dialect: Dialect, names: tuple[str, ...]) -> _Binding:
    """Raises KeyError: a name is no column of the table."""
    known = [column.name for column in table.c]
    if unknown := set(names).difference(known):
        raise KeyError(f"{table.name} has no column {min(unknown)!r}")
    return _Binding(table, dialect, [name for name in known if name in names])


def _several(names: tuple[str, ...]) -> _Values:
    """The values of these columns, as a tuple also where there are less than two."""
    if len(names) > 1:
        return cast("_Values", itemgetter(*names))
    return lambda row: tuple(row[name] for name in names)
