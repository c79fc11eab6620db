"""The installed validators: `judgemesh validators`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from judgemesh.contracts.codes import by_precedence
from judgemesh.contracts.validator import Validator
from judgemesh.mesh.grading.plugins import ValidatorRegistry
from judgemesh.mesh.reporting.text import one_line

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

_ERROR_LIMIT = 500
_BELOW = (0, 0, 1, 4)


def validators_view(registry: ValidatorRegistry) -> Iterator[RenderableType]:
    """Every entry point, a paragraph each; also those that cannot be loaded."""
    from rich.padding import Padding
    from rich.text import Text

    for name in sorted([*registry.validators, *registry.broken]):
        origin = one_line(registry.origin(name))
        validator = registry.validators.get(name)
        if validator is None:
            error = one_line(registry.broken[name], _ERROR_LIMIT)
            yield Text.assemble((one_line(name), "bold red"), (f"  {origin}", "dim"))
            body = Text(f"cannot be loaded: {error}", "red")
        else:
            yield _heading(name, origin, validator)
            body = _purpose(validator)
        yield Padding(body, _BELOW, expand=False)


def _heading(name: str, origin: str, validator: Validator) -> Text:
    from rich.text import Text

    gating = "not gating"
    if validator.gate:
        gating = "gating"
    traits = [origin, validator.form, validator.stage, gating]
    if validator.metric:
        traits.append(f"feeds {validator.metric}")
    return Text.assemble(
        (one_line(name), "bold"),
        f" {one_line(validator.version)}",
        (f"  {', '.join(traits)}", "dim"),
    )


def _purpose(validator: Validator) -> Text:
    """The validator's summary, and below it the codes it can report."""
    from rich.text import Text

    codes = ", ".join(by_precedence(validator.codes)) or "declares no failure code"
    text = Text(one_line(validator.summary))
    if validator.summary:
        text.append("\n")
    return text.append(codes, "dim")


def registry_json(registry: ValidatorRegistry) -> list[dict[str, object]]:
    """Every entry point as a JSON-ready row; `error` says why one cannot be loaded."""
    return [
        _entry_point(registry, name)
        for name in sorted([*registry.validators, *registry.broken])
    ]


def _entry_point(registry: ValidatorRegistry, name: str) -> dict[str, object]:
    row: dict[str, object] = {
        "name": name,
        "origin": registry.origin(name),
        "error": registry.broken.get(name),
    }
    validator = registry.validators.get(name)
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
