"""The panel of a graded run in numbers, out of the ledger."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from judgemesh.mesh.ledger.store import Ledger
    from judgemesh.mesh.runs.panel_summary import PanelSummary


async def panel_of_run(
    ledger: Ledger, run_id: str, judge_settings: object
) -> PanelSummary | None:
    """How many judges the panel of a run is worth; None for a run without one.

    judge_settings: the settings of the run's judge, a mapping; anything else for none.

    Raises:
        LedgerError: the ledger cannot be read.
    """
    if not isinstance(judge_settings, Mapping) or "panel" not in judge_settings:
        return None
    from judgemesh.mesh.calibration.judges import consensus
    from judgemesh.mesh.runs.panel_summary import PanelTally

    answers: list[tuple[str, str, str, bool]] = []
    for label in await ledger.labels():
        if label.label and label.question_id:
            labeler, says_yes = label.labeler or "", label.label == "yes"
            answers.append((label.result_id, label.question_id, labeler, says_yes))
    tally = PanelTally(truth=consensus(answers))
    async for result_id, opinion in ledger.opinions(run_id):
        tally.add(result_id, opinion)
    return tally.summary()
