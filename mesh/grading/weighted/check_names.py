"""What `check:` of a weighted score may name, by validator: known before anything is graded. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from judgemesh.contracts.codes import CODES
from judgemesh.contracts.contract import EvalContract

_CODES: Final = tuple(code.value.lower() for code in CODES)
"""A verdict on a failure code is called by the code."""
_OF_SOP: Final = ("kept", "broken", "rule:*", "sop")
_OF_FIELDS: Final = (
    *("found", "missing", "unclear", "hidden", "required", "fields"),
    "field:*",
)
_PLAN: Final = ("ordering", "scope", "branches", "reversibility")
_OTHERS: Final[Mapping[str, tuple[str, ...]]] = {
    "completion": ("completion", "tool_calls"),
    "spending": ("cost", "latency", "budget"),
    "expected_answer": ("expected", "expected:*"),
    "forbidden_content": ("forbidden",),
    "output_format": ("format",),
    "execution": ("records", "proved", "reported", "execution", *_CODES),
    "state": ("state", "content", "expected_changes", "side_effects"),
    "permissions": ("permissions",),
    "limits": ("limits",),
    "replay": ("replay",),
    "claims": (
        *("claims", "claim:*", "supported", "claims_beyond", "claims_unread"),
        *("evidence", "open", *_CODES),
    ),
    "citations": ("citations", "citation:*", "citations:beyond", "references"),
    "plan_quality": ("plan", "conditions", "required", *_PLAN),
    "documents": ("documents", "document:*"),
    "tool_selection": ("picks", "forbidden_calls"),
    "scorers": ("scorers", "scorer:*"),
}


def addressable(contract: EvalContract, validator: str) -> list[str] | None:
    """What `check:` may name of a validator; `*` stands for what only grading shows. None for validators of others."""
    find = _OF_CONTRACT.get(validator)
    if find is not None:
        return list(find(contract))
    names = _OTHERS.get(validator)
    return None if names is None else list(names)


def _criteria(contract: EvalContract) -> Iterator[str]:
    yield "criteria"
    yield from (f"criterion:{criterion.id}" for criterion in contract.criteria)


def _constraints(contract: EvalContract) -> Iterator[str]:
    yield "constraints"
    if contract.sop is not None:
        prose = {
            "system_prompt": contract.sop.system_prompt,
            "skill": contract.sop.skill,
        }
        for section, rules in prose.items():
            for number, rule in enumerate(rules, start=1):
                yield f"criterion:{section}:{rule.id or number}"


def _fields(contract: EvalContract) -> Iterator[str]:
    criteria = contract.success_criteria
    yield from (*criteria.must_include, *criteria.required_outputs, *_OF_FIELDS)


def _sop(contract: EvalContract) -> Iterator[str]:
    spec = contract.sop
    if spec is not None:
        yield from (rule.id for rule in spec.rules)
        yield from (f"required_tools:{tool}" for tool in spec.required_tools)
        yield from (f"forbidden_tools:{tool}" for tool in spec.forbidden_tools)
        yield from (f"prerequisites:{rule.tool}" for rule in spec.prerequisites)
    yield from _OF_SOP


_OF_CONTRACT: Final[Mapping[str, Callable[[EvalContract], Iterator[str]]]] = {
    "criteria": _criteria,
    "constraints": _constraints,
    "required_fields": _fields,
    "sop": _sop,
}
KNOWN: Final = frozenset({*_OF_CONTRACT, *_OTHERS})
"""The validators whose checks are known."""
