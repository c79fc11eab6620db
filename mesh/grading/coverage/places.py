"""What a contract can name, and the validator that looks for it: the data behind the coverage table.

A row of `PLACES` is one kind of thing: where it stands in a contract, what people call it, the validators that look for
it, and the codes by which another validator may vouch for it. A row of `SECTIONS` is a section as a whole: whether it
asks for anything.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.sections.expectations import COMPARING_FIELDS

if TYPE_CHECKING:
    from judgemesh.contracts.sections.evidence import ClaimsSpec

EACH: Final = "*"
"""Every item of a list, every key of a mapping."""
EVERYWHERE: Final = "completion"
"""The validator that runs under every contract: it asks for nothing but an answer."""


class Place(NamedTuple):
    """One kind of named thing. `checks`: the validators of which one must run."""

    path: str
    kind: str
    checks: tuple[str, ...]
    codes: tuple[FailureCode, ...] = ()

    @property
    def keys(self) -> tuple[str, ...]:
        """The path as keys."""
        return tuple(self.path.split("."))


class SectionPlace(NamedTuple):
    """A section as a whole. `asks`: whether its content, under the contract, can be checked against anything.

    has_parts: its parts have rows and checks of their own.
    """

    path: str
    checks: tuple[str, ...]
    codes: tuple[FailureCode, ...]
    asks: Callable[[Any, EvalContract], bool]
    remedy: str = ""
    has_parts: bool = False

    @property
    def keys(self) -> tuple[str, ...]:
        """The path as keys."""
        return tuple(self.path.split("."))


_C: Final = FailureCode
_NOT_FOLLOWED: Final = (_C.SOP_NOT_FOLLOWED,)
_NOT_ALLOWED: Final = (_C.UNAUTHORIZED_ACTION,)
_PROMPT: Final = (_C.SYSTEM_PROMPT_VIOLATION,)
_SKILL: Final = (_C.SKILL_INSTRUCTION_VIOLATION,)
_RISK: Final = (_C.UNCONFIRMED_HIGH_RISK_ACTION,)
_EXECUTED: Final = (_C.ACTION_NOT_EXECUTED, _C.STATE_CHANGE_FAILED)
_CHANGED: Final = (_C.STATE_CHANGE_FAILED, _C.PARTIAL_STATE_CHANGE)
_CITED: Final = (_C.CITATION_NOT_FOUND, _C.FABRICATED_REFERENCE)
_SUPPORTED: Final = (_C.UNSUPPORTED_CLAIM, _C.WRONG_FACT)
_FIELD: Final = (_C.MISSING_REQUIRED_FIELD,)
_OUTPUT: Final = (_C.MISSING_REQUIRED_OUTPUT,)
_EXPECTED: Final = ("expected_answer",)
_WORLD: Final = ("execution", "state", "documents")

# fmt: off
PLACES: Final[tuple[Place, ...]] = (
    Place("success_criteria.required_outputs.*", "required output", ("required_fields",), _OUTPUT),
    Place("success_criteria.must_include.*", "field", ("required_fields",), _FIELD),
    Place("success_criteria.execution_result.required", "required execution", _WORLD, _EXECUTED),
    Place("success_criteria.execution_result.must_include.*", "reported field", ("execution",), _FIELD),
    Place("success_criteria.must_not_match.*", "forbidden pattern", ("forbidden_content",), _PROMPT),
    *(Place(f"fields.*.{name}", "expected value", _EXPECTED, (_C.WRONG_FACT,)) for name in COMPARING_FIELDS),
    Place("budget.gate", "gate on the cost", ("spending",), _NOT_FOLLOWED),
    Place("budget.max_latency_ms", "longest run", ("spending",), (_C.EXECUTION_TIMEOUT,)),
    Place("output_schema", "schema", ("output_format",), (_C.OUTPUT_FORMAT_INVALID,)),
    Place("evidence.sources.*", "source", ("citations", "claims"), _CITED),
    Place("claims.facts.*", "fact", ("claims",), (_C.WRONG_FACT,)),
    Place("claims.evidence.*", "evidence text", ("claims",), _SUPPORTED),
    Place("sop.required_tools.*", "required tool", ("sop",), _NOT_FOLLOWED),
    Place("sop.forbidden_tools.*", "forbidden tool", ("sop",), _NOT_ALLOWED),
    Place("sop.rules.*", "rule", ("sop",), _NOT_FOLLOWED),
    Place("sop.prerequisites.*", "prerequisite", ("sop",), _NOT_FOLLOWED),
    Place("sop.system_prompt.*", "rule of the system prompt", ("constraints",), _PROMPT),
    Place("sop.skill.*", "rule of the skill", ("constraints",), _SKILL),
    Place("execution.source", "source", ("execution",), _EXECUTED),
    Place("execution.expected.*", "expected execution", ("execution",), _EXECUTED),
    Place("execution.high_risk.*", "high-risk action", ("execution",), _RISK),
    Place("execution.payments.*", "payment", ("execution",), (_C.UNAUTHORIZED_PAYMENT,)),
    Place("state.expected.*", "expected change", ("state",), _CHANGED),
    Place("state.forbidden.*", "forbidden change", ("state",), _NOT_ALLOWED),
    Place("state.documents.*", "document", ("documents",), _CHANGED),
    Place("tools.expected.*", "expert's call", ("tool_selection",), _NOT_FOLLOWED),
    Place("tools.registry.*", "tool", ("tool_selection",), _NOT_FOLLOWED),
    Place("plan.required.*", "required step", ("plan_quality",), _NOT_FOLLOWED),
    Place("plan.goal.*", "goal of the plan", ("plan_quality",), _NOT_FOLLOWED),
    Place("criteria.*", "criterion", ("criteria",)),
)
# fmt: on


def _always(_section: Any, _contract: EvalContract) -> bool:
    return True


def _claims_ask(section: ClaimsSpec, contract: EvalContract) -> bool:
    """Facts, evidence texts, sources whose texts count as evidence, or what tools return."""
    if section.facts or section.evidence or section.tool_results != "never":
        return True
    return contract.evidence is not None and bool(contract.evidence.sources)


def _any_value(section: Any, _contract: EvalContract) -> bool:
    """Whether any key of the section has a value that is not empty."""
    values = [getattr(section, name) for name in section.model_fields_set]
    return any(value not in (None, [], {}) for value in values)


def _anything_set(section: Any, _contract: EvalContract) -> bool:
    """Whether any key is written down, even as an empty list: `expected: []` says that nothing may happen."""
    return bool(section.model_fields_set)


def _world_asks(section: Any, contract: EvalContract) -> bool:
    required = contract.success_criteria.execution_result.required
    return required or _anything_set(section, contract)


_LIMIT_KEYS: Final = (
    "calls",
    "steps",
    "calls_per_tool",
    "repeats",
    "total_repeats",
    "cycle",
)
_PERMISSION_KEYS: Final = ("tools", "paths")


def _limits_ask(section: Any, _contract: EvalContract) -> bool:
    values = [getattr(section, key) for key in _LIMIT_KEYS]
    return any(value not in (None, {}) for value in values)


def _permissions_ask(section: Any, _contract: EvalContract) -> bool:
    """A list of tools or paths limits, even an empty one; rules and exceptions limit where there is one."""
    if any(getattr(section, key) is not None for key in _PERMISSION_KEYS):
        return True
    return bool(section.arguments or section.denied_paths)


def _tools_ask(section: Any, _contract: EvalContract) -> bool:
    """`expected: []` says that no call is right; without it there has to be a registry."""
    return section.expected is not None or bool(section.registry)


_EVIDENCE_CODES: Final = (*_CITED, _C.MISSING_EVIDENCE)
_SOP_CODES: Final = (*_NOT_FOLLOWED, *_NOT_ALLOWED)
_CLAIMS_NEED: Final = (
    "give `facts`, `evidence` texts or sources, or let `tool_results` count"
)
_SOP_NEEDS: Final = "name tools, rules, permissions, limits or prose rules"
_PERMISSIONS_NEED: Final = "give `tools`, `paths`, `arguments` or `denied_paths`"
_LIMITS_NEED: Final = f"give one of {', '.join(_LIMIT_KEYS)}"
_EXECUTION_NEEDS: Final = "give `expected` (`expected: []`: nothing may be executed)"
_STATE_NEEDS: Final = (
    "give `expected` (`expected: []`: nothing may change) or `documents`"
)
_TOOLS_NEED: Final = (
    "give `expected` (`expected: []`: no call is right) or a `registry`"
)

# fmt: off
SECTIONS: Final[tuple[SectionPlace, ...]] = (
    SectionPlace("answer", _EXPECTED, (_C.WRONG_FACT,), _always),
    SectionPlace("evidence", ("citations", "claims"), _EVIDENCE_CODES, _always),
    SectionPlace("claims", ("claims",), _SUPPORTED, _claims_ask, _CLAIMS_NEED),
    SectionPlace("sop", ("sop",), _SOP_CODES, _any_value, _SOP_NEEDS, has_parts=True),
    SectionPlace("sop.permissions", ("permissions",), _NOT_ALLOWED, _permissions_ask, _PERMISSIONS_NEED),
    SectionPlace("sop.limits", ("limits",), _NOT_FOLLOWED, _limits_ask, _LIMITS_NEED),
    SectionPlace("sop.replay", ("replay",), _NOT_FOLLOWED, _always),
    SectionPlace("execution", ("execution",), _EXECUTED, _world_asks, _EXECUTION_NEEDS),
    SectionPlace("state", ("state", "documents"), _CHANGED, _world_asks, _STATE_NEEDS),
    SectionPlace("tools", ("tool_selection",), _NOT_FOLLOWED, _tools_ask, _TOOLS_NEED),
    SectionPlace("plan", ("plan_quality",), _NOT_FOLLOWED, _always),
)
# fmt: on
