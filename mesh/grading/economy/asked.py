"""Which questions a judge or a source has to answer, and which of them no judge is asked in `--mode economy`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from judgemesh.contracts.needs import (
    Answer,
    Ask,
    Extract,
    Judged,
    Lookup,
    Need,
    Records,
    Unanswered,
)
from judgemesh.contracts.verdicts import Reason
from judgemesh.mesh.grading.validator_run import ValidatorRun

NOT_ASKED: Final = Unanswered(
    error_type=Reason.GATE_ALREADY_DECIDED,
    message="not asked: the gate has failed already (--mode economy)",
)
"""The answer to a question that no judge is asked."""


def needs_judge(needs: Iterable[Need]) -> bool:
    """Whether a judge has to answer one of the needs."""
    return any(isinstance(need, Ask | Extract) for need in needs)


def needs_source(needs: Iterable[Need]) -> bool:
    """Whether a source has to answer one of the needs."""
    return any(isinstance(need, Lookup | Records) for need in needs)


def was_asked(needs: Mapping[str, Need], answers: Mapping[str, Answer]) -> bool:
    """Whether a judge was asked for any of the answers."""
    for name, need in needs.items():
        if needs_judge([need]) and answers[name] is not NOT_ASKED:
            return True
    return False


def note_model(run: ValidatorRun, answers: Mapping[str, Answer]) -> None:
    """Note the model that answered last."""
    for answer in answers.values():
        if isinstance(answer, Judged) and answer.model:
            run.model = answer.model
