"""Validator `sop`: required and forbidden tools, rules over the order of steps, and prerequisites of calls."""

from __future__ import annotations

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.validator import Case, validator
from judgemesh.contracts.verdicts import Metric, Verdict
from judgemesh.validators.sop.asked import has_rules


def _applies(contract: EvalContract) -> bool:
    spec = contract.sop
    return spec is not None and (has_rules(spec) or not spec.model_fields_set)


def _covered(contract: EvalContract) -> set[FailureCode]:
    """The codes of the rules that the procedure has."""
    spec = contract.sop
    if spec is None:
        return set()
    codes = {rule.code for rule in spec.rules}
    codes.update(prerequisite.code for prerequisite in spec.prerequisites)
    if spec.required_tools:
        codes.add(FailureCode.SOP_NOT_FOLLOWED)
    if spec.forbidden_tools:
        codes.add(FailureCode.UNAUTHORIZED_ACTION)
    return codes


@validator(
    name="sop",
    version="1",
    takes_args=False,
    metric=Metric.METHODOLOGY,
    codes=(FailureCode.SOP_NOT_FOLLOWED, FailureCode.UNAUTHORIZED_ACTION),
    applies=_applies,
    covers=_covered,
    pure=True,
)
def sop(case: Case) -> list[Verdict]:
    """The steps of the run keep the procedure.

    One `Pass` covers the rules that were kept. For each failure code and gate setting, one `Fail` lists the rules that
    were broken, with the steps that show it. The verdicts carry the rules' weights, so that the methodology score is
    the kept share of the weight.
    """
    # Templates of rules are imported for contracts that have rules.
    from judgemesh.validators.sop.check import check_sop

    return check_sop(case)
