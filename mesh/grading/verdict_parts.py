"""What single verdicts say about the rules and fields they cover, so that each can be a criterion of its own. Pure.

A procedure gives one verdict for all rules that were kept and one for those broken; required fields likewise. Their
details name the parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, cast

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.verdicts import Fail, Pass, Verdict

_RULE: Final = "rule:"
_OF_SOP: Final = ("kept", "broken", f"{_RULE}*", "sop")
_OF_FIELDS: Final = ("found", "missing", "hidden", "fields", "field:*")


def parts_of(verdict: Verdict) -> dict[str, bool | None]:
    """The parts that a verdict names: true where kept, false where broken, None where it could not be decided."""
    details = cast("Mapping[str, Any]", verdict.details)
    parts: dict[str, bool | None] = {}
    if isinstance(verdict, Pass):
        parts |= dict.fromkeys(_texts(details.get("kept")), True)
    elif isinstance(verdict, Fail):
        parts |= dict.fromkeys(_texts(details.get("missing")), False)
        for row in details.get("violations") or ():
            parts[str(row["rule"])] = False
    else:
        parts |= dict.fromkeys(_texts(details.get("missing")))
        if verdict.check.startswith(_RULE):
            parts[verdict.check.removeprefix(_RULE)] = None
    return parts


def _texts(value: object) -> Sequence[str]:
    return cast("Sequence[str]", value) if isinstance(value, list | tuple) else ()


def addressable(contract: EvalContract, validator: str) -> list[str] | None:
    """What `check:` may name of a validator under this contract; None where that is not known before grading."""
    if validator == "criteria":
        return [f"criterion:{criterion.id}" for criterion in contract.criteria]
    if validator == "sop":
        return [*_sop_rules(contract), *_OF_SOP]
    if validator == "required_fields":
        criteria = contract.success_criteria
        return [*criteria.must_include, *criteria.required_outputs, *_OF_FIELDS]
    return None


def _sop_rules(contract: EvalContract) -> Iterator[str]:
    spec = contract.sop
    if spec is None:
        return
    yield from (rule.id for rule in spec.rules)
    yield from (f"required_tools:{tool}" for tool in spec.required_tools)
    yield from (f"forbidden_tools:{tool}" for tool in spec.forbidden_tools)
    yield from (f"prerequisites:{rule.tool}" for rule in spec.prerequisites)
