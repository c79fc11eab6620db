"""The templates of the viewer beside those of the reports, with filters for addresses."""

from __future__ import annotations

import json
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from judgemesh.mesh.reporting.html.environment import environment as report_environment

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def environment() -> Environment:
    """The environment of the reports, which escapes every value, with the viewer's own templates."""
    from jinja2 import ChoiceLoader, PackageLoader

    reports = report_environment()
    own = reports.overlay(
        loader=ChoiceLoader(
            [PackageLoader("judgemesh.mesh.viewer", "templates"), _loader_of(reports)]
        )
    )
    # An overlay shares these with its original until it has some of its own.
    filters: dict[str, Any] = {**reports.filters, "moment": moment, "as_json": as_json}
    names: dict[str, Any] = {**reports.globals, "address": address}
    own.filters, own.globals = filters, names
    return own


def rendered(template: str, **values: Any) -> str:
    """A template with its values. All text of the values is escaped."""
    return environment().get_template(template).render(**values)


def address(path: str, **parameters: str | None) -> str:
    """An address of the viewer. Names stand behind the question mark, where no name can become a path."""
    named = {name: value for name, value in parameters.items() if value}
    return f"{path}?{urlencode(named, errors='replace')}" if named else path


def moment(value: datetime | None) -> str:
    """`2026-04-28 10:00`, in UTC; a dash for a moment that is not known."""
    return "-" if value is None else f"{value:%Y-%m-%d %H:%M}"


def as_json(value: object) -> str:
    """A value of the ledger as JSON for people."""
    return json.dumps(value, ensure_ascii=False, indent=2, default=str)


def _loader_of(environment: Environment) -> Any:
    return environment.loader
