"""The failure codes of criteria."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.verdicts import Metric

if TYPE_CHECKING:
    from judgemesh.contracts.sections.criterion import Criterion

CODE_OF_METRIC: Final[Mapping[str, FailureCode]] = MappingProxyType(
    {
        Metric.READABILITY: FailureCode.LOW_READABILITY_SCORE,
        Metric.COMPLETENESS: FailureCode.INCOMPLETE_ANSWER,
        Metric.METHODOLOGY: FailureCode.SOP_NOT_FOLLOWED,
        Metric.EVIDENCE_CONSISTENCY: FailureCode.UNSUPPORTED_CLAIM,
        Metric.EVIDENCE_VALIDITY: FailureCode.MISSING_EVIDENCE,
    }
)
"""The code of a criterion that names none, by the metric it names; `UNKNOWN_FAILURE` for any other metric, or none.

A criterion without `metric` counts in readability, but its question may be about anything.
"""


def code_of(criterion: Criterion) -> FailureCode:
    """The code a failed criterion carries."""
    if criterion.code is not None:
        return criterion.code
    if "metric" not in criterion.model_fields_set:
        return FailureCode.UNKNOWN_FAILURE
    return CODE_OF_METRIC.get(criterion.metric, FailureCode.UNKNOWN_FAILURE)
