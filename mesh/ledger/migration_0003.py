"""How labels were drawn; weighted scores. Frozen: a migration is never edited, a change is a new migration."""

from __future__ import annotations

from typing import Final

STATEMENTS: Final[tuple[str, ...]] = (
    "ALTER TABLE human_label ADD COLUMN drawn TEXT",
    "ALTER TABLE eval_task_result ADD COLUMN weighted_scores {ordered_json}",
)
