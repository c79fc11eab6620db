"""The eval contract: what a result must be, must not be, and how it is scored.

Each section is one model; unknown keys are errors. `judgemesh.mesh.inputs.contracts` reads the YAML and locates
faults by line.
"""

from __future__ import annotations

import hashlib
import json
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, Field, field_validator, model_validator

from judgemesh.contracts.codes import CODES, Effect, FailureCode, parse_code
from judgemesh.contracts.expectations import AnswerField, FieldSpec
from judgemesh.contracts.late import Late
from judgemesh.contracts.results import Id, JsonObject, MoneyField, text_as
from judgemesh.contracts.section import (
    GradeCode,
    Seconds,
    Section,
    Weight,
    YesNo,
    distinct,
)
from judgemesh.contracts.verdicts import Metric

if TYPE_CHECKING:
    from judgemesh.contracts.effects import ExecutionSpec, StateSpec
    from judgemesh.contracts.evidence import ClaimsSpec, EvidenceSpec
    from judgemesh.contracts.procedure import SopSpec
    from judgemesh.contracts.tools import PlanSpec, ToolsSpec
else:
    # Most contracts have few of these sections, and building their models takes longer than grading a result.
    ExecutionSpec = Annotated[Any, Late("judgemesh.contracts.effects", "ExecutionSpec")]
    StateSpec = Annotated[Any, Late("judgemesh.contracts.effects", "StateSpec")]
    ClaimsSpec = Annotated[Any, Late("judgemesh.contracts.evidence", "ClaimsSpec")]
    EvidenceSpec = Annotated[Any, Late("judgemesh.contracts.evidence", "EvidenceSpec")]
    SopSpec = Annotated[Any, Late("judgemesh.contracts.procedure", "SopSpec")]
    PlanSpec = Annotated[Any, Late("judgemesh.contracts.tools", "PlanSpec")]
    ToolsSpec = Annotated[Any, Late("judgemesh.contracts.tools", "ToolsSpec")]


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
        default_factory=ExecutionResultCriteria
    )


class Criterion(Section):
    """One narrow yes/no question for a judge."""

    id: Id
    question: Annotated[str, Field(min_length=3)]
    weight: Weight = 1.0
    gate: bool = False
    metric: Id = Metric.READABILITY.value
    code: GradeCode | None = None
    pass_if: YesNo = "yes"
    materials: (
        list[Literal["instruction", "final_answer", "outputs", "actions", "trace"]]
        | None
    ) = None


class ValidatorChoice(Section):
    """A validator that the contract selects by name, and the settings that it changes."""

    name: Id
    enabled: bool = True
    gate: bool | None = None
    timeout_s: Seconds | None = None
    args: JsonObject = Field(default_factory=dict)


ValidatorField = Annotated[ValidatorChoice, text_as("name")]


class WeightedCheck(Section):
    """A validator's check as a yes/no criterion: true if all its verdicts pass, false if one fails.

    Without `check` all verdicts of the validator count; `*` in it matches any run of characters.
    """

    id: Id
    validator: Id
    check: str | None = None
    weight: Weight | None = None


class ClassThresholds(Section):
    """The lowest scores, 0..1, of a successful completion and of a graceful failure."""

    success: Annotated[float, Field(gt=0, le=1)] = 0.75
    graceful: Annotated[float, Field(gt=0, le=1)] = 0.50

    @model_validator(mode="after")
    def _in_order(self) -> ClassThresholds:
        if self.graceful > self.success:
            raise ValueError("`graceful` must not be above `success`")
        return self


class Weighted(Section):
    """A named binary weighted score: the criteria whose `metric` is its name, and checks of validators.

    Weights must sum to 1, or `normalise` scales them; a `preset` brings its own weights, and none may be written here.
    hard_failure_if: criteria that make a run a hard failure by failing alone. goal_confirmed_if: criteria that must all
    hold for the goal to count as reached; without any, the hard gate decides. bands: labels of the mean over results,
    each with the lowest mean, 0..1, that has it.
    """

    preset: Literal["completion", "clarity", "recovery"] | None = None
    normalise: bool = False
    checks: list[WeightedCheck] = Field(default_factory=list[WeightedCheck])
    hard_failure_if: list[Id] = Field(default_factory=list[str])
    goal_confirmed_if: list[Id] = Field(default_factory=list[str])
    thresholds: ClassThresholds = Field(default_factory=ClassThresholds)
    bands: dict[str, Annotated[float, Field(ge=0, le=1)]] = Field(
        default_factory=dict[str, float]
    )

    @field_validator("bands")
    @classmethod
    def _every_mean_has_a_band(cls, bands: dict[str, float]) -> dict[str, float]:
        if bands and min(bands.values()) > 0:
            raise ValueError(
                "no band begins at 0, so some means would have no label; add one such as `poor: 0`"
            )
        if len(set(bands.values())) < len(bands):
            raise ValueError("two bands begin at the same mean")
        return bands


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


class Budget(Section):
    """The agent's cost ceiling for this workflow, and the longest run that is accepted.

    With `gate: true` a run above the ceiling fails the gate; `max_latency_ms` always gates. What is unknown then leaves
    the gate undecided.
    """

    ceiling: MoneyField | None = None
    gate: bool = False
    max_latency_ms: Annotated[float, Field(gt=0)] | None = None

    @model_validator(mode="after")
    def _positive(self) -> Budget:
        if self.ceiling is not None and self.ceiling.amount <= Decimal(0):
            raise ValueError(
                "a cost ceiling must be above 0; leave it out for no ceiling"
            )
        if self.gate and self.ceiling is None:
            raise ValueError("`gate: true` needs a `ceiling` to compare the cost with")
        return self


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
    success_criteria: SuccessCriteria = Field(default_factory=SuccessCriteria)
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
    scoring: Scoring = Field(default_factory=Scoring)
    outcome: Outcome = Field(default_factory=Outcome)
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
