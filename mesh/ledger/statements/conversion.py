"""Values of rows as the driver of a database takes them.

The rows of a statement are one list of values, row by row, so that a column is a slice of it. Few values must be
changed: texts, flags and numbers are looked at together, whatever column they are in, and changed where one of them is
unusual. The columns of another kind are changed one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from types import MappingProxyType
from typing import Any, Final, TypeAlias, cast

from sqlalchemy import DOUBLE_PRECISION, JSON, Boolean, Dialect, LargeBinary
from sqlalchemy.types import TypeEngine

from judgemesh.mesh.ledger.encoding import dumps, dumps_without_nul
from judgemesh.mesh.ledger.schema.columns import (
    MoneyColumn,
    NamesColumn,
    TextColumn,
    UtcColumn,
    names_text,
    stored_money,
    utc_text,
)

_Convert: TypeAlias = Callable[[Any], Any]
_Column: TypeAlias = Callable[[Sequence[Any]], Sequence[Any]]
"""Converts the values of a column, of all rows at once."""
_AreUsual: TypeAlias = Callable[[Iterable[Any]], bool]


@dataclass(frozen=True, slots=True)
class _Kind:
    """Columns of one kind, at their places in a row.

    are_usual: whether the driver takes the values of all of them as they are.
    """

    places: tuple[int, ...]
    are_usual: _AreUsual
    convert: _Column


@dataclass(frozen=True, slots=True)
class Conversion:
    """Converts rows of the same columns for a database. width: the number of columns."""

    width: int
    kinds: tuple[_Kind, ...]
    columns: tuple[tuple[int, _Column], ...]

    @classmethod
    def of(cls, types: Sequence[TypeEngine[Any]], dialect: Dialect) -> Conversion:
        """The conversion of rows whose columns have these types."""
        places: dict[type[object], list[int]] = {}
        converts: dict[type[object], _Column] = {}
        columns: list[tuple[int, _Column]] = []
        for place, column_type in enumerate(types):
            convert = _converter(column_type, dialect)
            kind = type(column_type)
            if convert is None:
                continue
            if kind in _USUAL:
                places.setdefault(kind, []).append(place)
                converts[kind] = _always(convert)
            else:
                of_column = _OF_COLUMN.get(kind, _always)
                columns.append((place, of_column(convert)))
        kinds = tuple(
            _Kind(tuple(found), _USUAL[kind], converts[kind])
            for kind, found in places.items()
        )
        return cls(len(types), kinds, tuple(columns))

    def apply(self, values: list[Any]) -> None:
        """Convert the values of all rows in place.

        Raises:
            ValueError: a column cannot hold a value.
        """
        width = self.width
        for kind in self.kinds:
            together = (values[place::width] for place in kind.places)
            if not kind.are_usual(chain.from_iterable(together)):
                for place in kind.places:
                    values[place::width] = kind.convert(values[place::width])
        for place, convert in self.columns:
            values[place::width] = convert(values[place::width])


def _converter(column_type: TypeEngine[Any], dialect: Dialect) -> _Convert | None:
    """What converts a value that is not null; None where the driver takes it as it is.

    Drivers take bytes and the text of JSON: what SQLAlchemy makes of them cannot be pickled, or takes long to be.
    """
    if isinstance(column_type, LargeBinary):
        return None
    if isinstance(column_type, JSON):
        return _JSON_TEXT[dialect.name]
    quick = _ON_SQLITE.get(type(column_type))
    if quick is not None and dialect.name == "sqlite":
        return quick
    return column_type.dialect_impl(dialect).bind_processor(dialect)


_JSON_TEXT: Final[Mapping[str, _Convert]] = MappingProxyType(
    {"sqlite": dumps, "postgresql": dumps_without_nul}
)
_ON_SQLITE: Final[Mapping[type[object], _Convert]] = MappingProxyType(
    {UtcColumn: utc_text, MoneyColumn: stored_money, NamesColumn: names_text}
)
"""What SQLAlchemy makes of the values of these columns, in a fraction of the time."""


def _are_usual_texts(values: Iterable[str | None]) -> bool:
    """Most texts are ASCII, which every database takes."""
    together = "".join(filter(None, values))
    return together.isascii() and "\0" not in together


_are_usual_flags: Final[_AreUsual] = frozenset((None, True, False)).issuperset
"""All but numbers are taken as they are."""


def _are_usual_numbers(values: Iterable[float | None]) -> bool:
    return _NUMBERS.issuperset(map(type, values))


_NUMBERS: Final = frozenset((float, type(None)))
_USUAL: Final[Mapping[type[object], _AreUsual]] = MappingProxyType(
    {
        TextColumn: _are_usual_texts,
        Boolean: _are_usual_flags,
        DOUBLE_PRECISION: _are_usual_numbers,
    }
)


def _always(convert: _Convert) -> _Column:
    return lambda values: list(map(convert, values))


def _unless_null(convert: _Convert) -> _Column:
    return lambda values: [
        None if value is None else convert(value) for value in values
    ]


def _unless_same(convert: _Convert) -> _Column:
    """The rows of one report are of one moment, and those of a run have the same parameters."""

    def converted(values: Sequence[Any]) -> Sequence[Any]:
        last = made = None
        found: list[Any] = []
        for value in values:
            if value is not last:
                last, made = value, None if value is None else convert(value)
            found.append(made)
        return found

    return converted


def _of_json(convert: _Convert) -> _Column:
    """Most lists and objects of a report are empty."""
    empty: dict[type[object], Any] = {
        list: convert([]),
        dict: convert({}),
        tuple: convert(()),
    }

    def quick(value: Any) -> Any:
        made = None if value else empty.get(cast("type[object]", type(value)))
        return convert(value) if made is None else made

    return _unless_same(quick)


_OF_COLUMN: Final[Mapping[type[object], Callable[[_Convert], _Column]]] = (
    MappingProxyType(
        {UtcColumn: _unless_same, JSON: _of_json, MoneyColumn: _unless_null}
    )
)
"""For types of columns: a quicker way to the same values. The null of a moment, of JSON and of money stays null."""
