"""What is installed: validators and failure codes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from judgemesh.contracts.codes import CODES, Effect, Who, by_precedence
from judgemesh.contracts.validator import Validator
from judgemesh.mesh.grading.plugins import Registry
from judgemesh.mesh.reporting.text import one_line

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

_EFFECT_STYLES: Final = {Effect.GATE: "red", Effect.SOFT: "yellow", Effect.HOLD: "cyan"}
_WHO_STYLES: Final = {Who.AGENT: "", Who.ENVIRONMENT: "magenta", Who.EVALUATOR: "cyan"}


def plain_table(*, title: str | None = None) -> Table:
    """A table in the one style used everywhere: no boxes, a rule under the head."""
    from rich import box
    from rich.table import Table

    return Table(
        title=title,
        title_style="bold",
        title_justify="left",
        box=box.SIMPLE_HEAD,
        header_style="bold",
        pad_edge=False,
        show_edge=False,
    )


def codes_table() -> Table:
    """The taxonomy, in the order of precedence."""
    table = plain_table()
    table.add_column("code", no_wrap=True)
    table.add_column("who", no_wrap=True)
    table.add_column("effect", no_wrap=True)
    table.add_column("meaning")
    for info in CODES.values():
        table.add_row(
            info.code.value,
            _styled(info.who, _WHO_STYLES[info.who]),
            _styled(info.effect, _EFFECT_STYLES[info.effect]),
            info.meaning,
        )
    return table


def codes_json() -> list[dict[str, object]]:
    """The taxonomy as JSON-ready rows."""
    return [
        {
            "code": info.code.value,
            "meaning": info.meaning,
            "who": info.who.value,
            "effect": info.effect.value,
            "precedence": info.precedence,
            "traits": sorted(trait.value for trait in info.traits),
        }
        for info in CODES.values()
    ]


def validators_view(registry: Registry) -> Iterator[RenderableType]:
    """Every entry point, a paragraph each; also those that cannot be loaded."""
    from rich.padding import Padding
    from rich.text import Text

    for name in sorted([*registry.validators, *registry.broken]):
        origin = one_line(registry.origin(name))
        validator = registry.validators.get(name)
        if validator is None:
            yield Text.assemble((one_line(name), "bold red"), (f"  {origin}", "dim"))
            yield Padding(
                Text(
                    f"cannot be loaded: {one_line(registry.broken[name], 500)}", "red"
                ),
                (0, 0, 1, 4),
                expand=False,
            )
        else:
            traits = f"  {origin}, {validator.form}, {validator.stage}, {'gating' if validator.gate else 'not gating'}"
            feeds = f", feeds {validator.metric}" if validator.metric else ""
            yield Text.assemble(
                (one_line(name), "bold"),
                f" {one_line(validator.version)}",
                (f"{traits}{feeds}", "dim"),
            )
            yield Padding(_finds(validator), (0, 0, 1, 4), expand=False)


def _finds(validator: Validator) -> Text:
    from rich.text import Text

    codes = ", ".join(by_precedence(validator.codes)) or "declares no failure code"
    return Text.assemble(
        one_line(validator.summary), "\n" if validator.summary else "", (codes, "dim")
    )


def registry_json(registry: Registry) -> list[dict[str, object]]:
    """Every entry point as a JSON-ready row; `error` says why one cannot be loaded."""
    return [
        _validator_json(
            name,
            registry.origin(name),
            registry.validators.get(name),
            registry.broken.get(name),
        )
        for name in sorted([*registry.validators, *registry.broken])
    ]


def _validator_json(
    name: str, origin: str | None, validator: Validator | None, error: str | None
) -> dict[str, object]:
    row: dict[str, object] = {"name": name, "origin": origin, "error": error}
    if validator is not None:
        row |= {
            "version": validator.version,
            "form": validator.form.value,
            "stage": validator.stage.value,
            "metric": validator.metric.value if validator.metric else None,
            "gate": validator.gate,
            "codes": [code.value for code in by_precedence(validator.codes)],
            "timeout_s": validator.timeout_s,
            "summary": validator.summary,
        }
    return row


def _styled(text: str, style: str) -> Text:
    from rich.text import Text

    return Text(text, style)
