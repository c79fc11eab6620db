"""The failure codes with their meaning: `judgemesh validators --codes`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from judgemesh.contracts.codes import CODES, Attribution, Effect
from judgemesh.mesh.reporting.tables import add_columns, plain_table

if TYPE_CHECKING:
    from rich.table import Table

_EFFECT_STYLES: Final = {Effect.GATE: "red", Effect.SOFT: "yellow", Effect.HOLD: "cyan"}
_ATTRIBUTION_STYLES: Final = {
    Attribution.AGENT: "",
    Attribution.ENVIRONMENT: "magenta",
    Attribution.EVALUATOR: "cyan",
}


def codes_table() -> Table:
    """The taxonomy, in the order of precedence."""
    from rich.text import Text

    table = plain_table()
    add_columns(table, "code", "attribution", "effect", justify="left")
    table.add_column("meaning")
    for info in CODES.values():
        table.add_row(
            info.code.value,
            Text(info.attribution, _ATTRIBUTION_STYLES[info.attribution]),
            Text(info.effect, _EFFECT_STYLES[info.effect]),
            info.meaning,
        )
    return table


def codes_json() -> list[dict[str, object]]:
    """The taxonomy as JSON-ready rows."""
    return [
        {
            "code": info.code.value,
            "meaning": info.meaning,
            "who": info.attribution.value,
            "effect": info.effect.value,
            "precedence": info.precedence,
            "traits": sorted(trait.value for trait in info.traits),
        }
        for info in CODES.values()
    ]
