"""The answer to a question that a judge error left without one."""

from __future__ import annotations

from judgemesh.contracts.errors import JudgeError
from judgemesh.contracts.needs import Unanswered
from judgemesh.mesh.judging.client.attempts import one_line


def unanswered(error: JudgeError, question_id: str) -> Unanswered:
    """The error as the answer to a question."""
    return Unanswered(
        error_type=error.error_type,
        message=f"judge, question {question_id}: {one_line(error)}",
    )
