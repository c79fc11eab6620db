"""What `judgemesh ledger` removed or copied, as lines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from judgemesh.mesh.reporting.text import plural

if TYPE_CHECKING:
    from judgemesh.mesh.ledger.maintenance.merge import Merged
    from judgemesh.mesh.ledger.maintenance.purge import Purged


def purged_text(purged: Purged) -> str:
    """What was removed, and what stays."""
    if not purged.results and not purged.replies:
        return "no result matches that is not purged already\n"
    removed = _listed(
        (purged.contents, "kept answer"),
        (purged.verdicts, "text of a verdict", "texts of verdicts"),
        (purged.calls, "text of a judge call", "texts of judge calls"),
        (purged.lookups, "look-up", "look-ups"),
        (purged.traces, "text of a trace", "texts of traces"),
        (purged.notes, "note of a label", "notes of labels"),
        (purged.replies, "cached reply", "cached replies"),
    )
    lines = f"purged {plural(purged.results, 'result')}: {removed or 'no text'} removed"
    return f"{lines}\ngates, scores, codes, tokens and costs stay\n"


def merged_text(merged: Merged) -> str:
    """What was added, in a line."""
    added = _listed(
        (merged.runs, "run"),
        (merged.results, "result"),
        (merged.calls, "judge call"),
        (merged.traces, "trace"),
        (merged.labels, "label"),
        (merged.replies, "cached reply", "cached replies"),
    )
    known = ""
    if merged.present:
        known = f"; {plural(merged.present, 'run')} was there already"
        if merged.present != 1:
            known = f"; {plural(merged.present, 'run')} were there already"
    return f"{added or 'nothing'} added{known}"


def _listed(*counts: tuple[int, str] | tuple[int, str, str]) -> str:
    """Those that are not zero."""
    parts: Iterable[str] = (plural(count, *nouns) for count, *nouns in counts if count)
    return ", ".join(parts)
