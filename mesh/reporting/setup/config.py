"""The settings of a run and where each comes from, without secrets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from judgemesh.mesh.config import SETTINGS, MeshConfig
from judgemesh.mesh.reporting.tables import plain_table

if TYPE_CHECKING:
    from rich.table import Table

_USER: Final = re.compile(r"(?<=://)[^/@]*@")
_QUERY: Final = re.compile(r"(?<=\?).*")


def config_table(config: MeshConfig, sources: Mapping[str, str]) -> Table:
    """One row a setting: name, value, source."""
    table = plain_table()
    for column in ("setting", "value", "source"):
        table.add_column(column)
    for name, value in _values(config):
        table.add_row(name, _text(value), sources[name])
    return table


def config_json(config: MeshConfig, sources: Mapping[str, str]) -> dict[str, Any]:
    """`{name: {value, source}}`."""
    return {
        name: {"value": value, "source": sources[name]}
        for name, value in _values(config)
    }


def _values(config: MeshConfig) -> Iterator[tuple[str, Any]]:
    for name in MeshConfig.model_fields:
        if name in SETTINGS:
            yield name, _plain(getattr(config, name))


def _plain(value: object) -> Any:
    """A value as JSON has it; URLs without credentials."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, list | tuple):
        entries = cast("list[object]", value)
        return list(map(_plain, entries))
    text = str(value)
    if isinstance(value, Path) or "://" not in text:
        return text
    return _QUERY.sub("***", _USER.sub("***@", text))


def _text(value: Any) -> str:
    if value is None or value == []:
        return "-"
    if isinstance(value, list):
        return ", ".join(map(str, cast("list[object]", value)))
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)
