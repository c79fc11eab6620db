"""Files of a rollback measurement: rows for the Triangle, and the kept evidence."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from judgemesh.contracts.text.printable_json import printable_json
from judgemesh.mesh.inputs.replaceable import write_replaceable
from judgemesh.mesh.metrics.triangle import InjectionPoint
from judgemesh.mesh.reporting.rollback.measurement import rollback_json
from judgemesh.mesh.rollback.outcome import Injection, axis_rows
from judgemesh.mesh.rollback.run import AXIS_FILE, EVIDENCE_FILE


def write_evidence(
    folder: Path, injections: Sequence[Injection], points: Sequence[InjectionPoint]
) -> None:
    """Write `rollback.json` beside the evidence.

    Raises:
        ConfigError: it cannot be written.
    """
    data = rollback_json(injections, points)
    text = printable_json(data, indent=2) + "\n"
    write_replaceable(folder / EVIDENCE_FILE, text, EVIDENCE_FILE)


def write_axis_rows(
    path: Path, injections: Sequence[Injection], points: Sequence[InjectionPoint]
) -> list[str]:
    """Write the rows for `judgemesh triangle --ra`; the tasks that are left out.

    A task is left out if one of its points was not measured.

    Raises:
        ConfigError: it cannot be written.
    """
    rows = axis_rows(injections, points)
    text = "".join(json.dumps(row) + "\n" for row in rows)
    write_replaceable(path, text, AXIS_FILE)
    tasks = {injection.task_id for injection in injections}
    return sorted(tasks - {str(row["task_id"]) for row in rows})
