"""The eval contract: what a result must be, must not be, and how it is scored.

Each section is one model; unknown keys are errors. `judgemesh.mesh.inputs.contracts` reads the YAML and locates
faults by line.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

from pydantic import BeforeValidator, Field, model_validator

from judgemesh.contracts.codes import CODES, Effect, FailureCode, parse_code
from judgemesh.contracts.late import Late
from judgemesh.contracts.parts import Id, JsonObject, text_as
from judgemesh.contracts.sections.expectations import Expectation, FieldSpec
from judgemesh.contracts.sections.section import (
    GradeCode,
    Section,
    distinct,
)
from judgemesh.contracts.verdicts import Metric

if TYPE_CHECKING:
    from judgemesh.contracts.sections.answer import AnswerSpec
    from judgemesh.contracts.sections.budget import Budget
    from judgemesh.contracts.sections.choice import ValidatorChoice
    from judgemesh.contracts.sections.criterion import Criterion
    from judgemesh.contracts.sections.effects import ExecutionSpec, StateSpec
    from judgemesh.contracts.sections.evidence import ClaimsSpec, EvidenceSpec
    from judgemesh.contracts.sections.procedure import SopSpec
    from judgemesh.contracts.sections.tools import PlanSpec, ToolsSpec
    from judgemesh.contracts.sections.weighted import Weighted
else:
    # Most contracts have few of these sections, and building their models takes longer than grading a result.
    AnswerSpec = Annotated[
        Any, Late("judgemesh.contracts.sections.answer", "AnswerSpec")
    ]
    Budget = Annotated[Any, Late("judgemesh.contracts.sections.budget", "Budget")]
    Criterion = Annotated[
        Any, Late("judgemesh.contracts.sections.criterion", "Criterion")
    ]
    ValidatorChoice = Annotated[
        Any, Late("judgemesh.contracts.sections.choice", "ValidatorChoice")
    ]
    Weighted = Annotated[Any, Late("judgemesh.contracts.sections.weighted", "Weighted")]
    ExecutionSpec = Annotated[
        Any, Late("judgemesh.contracts.sections.effects", "ExecutionSpec")
    ]
    StateSpec = Annotated[
        Any, Late("judgemesh.contracts.sections.effects", "StateSpec")
    ]
    ClaimsSpec = Annotated[
        Any, Late("judgemesh.contracts.sections.evidence", "ClaimsSpec")
    ]
    EvidenceSpec = Annotated[
        Any, Late("judgemesh.contracts.sections.evidence", "EvidenceSpec")
    ]
    SopSpec = Annotated[Any, Late("judgemesh.contracts.sections.procedure", "SopSpec")]
    PlanSpec = Annotated[Any, Late("judgemesh.contracts.sections.tools", "PlanSpec")]
    ToolsSpec = Annotated[Any, Late("judgemesh.contracts.sections.tools", "ToolsSpec")]


class ExecutionResultCriteria(Section):
    """Whether an external execution is required, and what the agent must say about it."""

    required: bool = False
    must_include: list[str] = Field(default_factory=list[str])
    must_not_include: list[str] = Field(default_factory=list[str])


class SuccessCriteria(Section):
    """Article 002 section 3, verbatim; and `must_not_match`, RE2 patterns that nothing the agent says may match."""

    required_outputs: list[Id] = Field(default_factory=list[str])
    must_include: list[Id] = Field(default_factory=list[str])
    must_not_include: list[Id] = Field(default_factory=list[str])
    must_not_match: list[Id] = Field(default_factory=list[str])
    execution_result: ExecutionResultCriteria = Field(
        default_factory=ExecutionResultCriteria.model_construct
    )


def _answer(value: Any) -> Any:
    """A plain value is what the answer must equal."""
    if isinstance(value, Mapping | Expectation):
        return cast("Any", value)
    return {"equals": value}


AnswerField = Annotated[AnswerSpec, BeforeValidator(_answer)]
ValidatorField = Annotated[ValidatorChoice, text_as("name")]


class Scoring(Section):
    """Weights of the soft score's parts, thresholds (0..10) of the `LOW_*_SCORE` codes, and scores of its own."""

    weights: dict[Metric, Annotated[float, Field(ge=0)]] = Field(
        default_factory=dict[Metric, float]
    )
    thresholds: dict[Metric, Annotated[float, Field(ge=0, le=10)]] = Field(
        default_factory=dict[Metric, float]
    )
    weighted: dict[Id, Weighted] = Field(default_factory=dict[str, Weighted])


class Outcome(Section):
    """Thresholds of the outcome classes (score 0..10; share 0..1), and codes moved between gate and soft."""

    complete_threshold: Annotated[float, Field(ge=0, le=10)] = 8.0
    partial_threshold: Annotated[float, Field(ge=0, le=1)] = 0.5
    effects: dict[GradeCode, Literal["gate", "soft"]] = Field(
        default_factory=dict[FailureCode, Literal["gate", "soft"]]
    )


def _version_text(value: Any) -> Any:
    """YAML reads an unquoted version such as 1.2 as a number."""
    if isinstance(value, int | float):
        return str(value)
    return value


class EvalContract(Section):
    """The requirements that the results of one task are graded against."""

    task_id: Id
    task_name: str = ""
    version: Annotated[str, BeforeValidator(_version_text)] = "1"
    family: str | None = None
    input: JsonObject = Field(default_factory=dict)
    success_criteria: SuccessCriteria = Field(
        default_factory=SuccessCriteria.model_construct
    )
    output_schema: JsonObject | bool | None = None
    fields: dict[str, FieldSpec] = Field(default_factory=dict[str, FieldSpec])
    answer: AnswerField | None = None
    evidence: EvidenceSpec | None = None
    claims: ClaimsSpec | None = None
    sop: SopSpec | None = None
    execution: ExecutionSpec | None = None
    state: StateSpec | None = None
    tools: ToolsSpec | None = None
    plan: PlanSpec | None = None
    criteria: list[Criterion] = Field(default_factory=list[Criterion])
    validators: list[ValidatorField] = Field(default_factory=list[ValidatorChoice])
    scoring: Scoring = Field(default_factory=Scoring.model_construct)
    outcome: Outcome = Field(default_factory=Outcome.model_construct)
    budget: Budget | None = None

    @model_validator(mode="after")
    def _unique_ids(self) -> EvalContract:
        distinct("criteria", [criterion.id for criterion in self.criteria])
        distinct("validators", [choice.name for choice in self.validators])
        if self.sop is not None:
            distinct("sop.rules", [rule.id for rule in self.sop.rules])
        return self

    def effect_of(self, code: FailureCode) -> Effect:
        """What `code` does under this contract.

        `must_not_include` and `outcome.effects` may move a code between gate and soft, never a hold code.
        """
        moved = self.outcome.effects.get(code)
        if moved is not None:
            return Effect(moved)
        if CODES[code].effect is Effect.SOFT and code in self.named_codes():
            return Effect.GATE
        return CODES[code].effect

    @property
    def moves_codes(self) -> bool:
        """Whether some code has another effect than by itself."""
        return bool(self.outcome.effects) or bool(self.named_codes())

    def named_codes(self) -> tuple[FailureCode, ...]:
        """The failure codes that `must_not_include` names, in its order."""
        criteria = self.success_criteria
        entries = (
            *criteria.must_not_include,
            *criteria.execution_result.must_not_include,
        )
        if not entries:
            return ()
        codes: dict[FailureCode, None] = {}
        for entry in entries:
            code = parse_code(entry)
            if code is not None:
                codes[code] = None
        return tuple(codes)

    def digest(self) -> str:
        """`sha256:` and the hash of the contract's canonical JSON."""
        data = self.model_dump(mode="json", exclude_unset=True, by_alias=True)
        canonical = json.dumps(
            data, sort_keys=True, separators=(",", ":"), ensure_ascii=False
        )
        # A contract made in code may hold half a character.
        encoded = canonical.encode("utf-8", "surrogatepass")
        return "sha256:" + hashlib.sha256(encoded).hexdigest()

    def contract_version(self) -> str:
        """`version` and digest: what the ledger stores as `eval_contract_version`."""
        return f"{self.version}+{self.digest()[:23]}"
