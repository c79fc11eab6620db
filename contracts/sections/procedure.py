"""Contract section `sop`: the procedure of a task, as tools, order, permissions, limits and prose rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.parts import Id, text_as
from judgemesh.contracts.sections.section import (
    GradeCode,
    Matcher,
    MatcherField,
    Section,
    Weight,
    YesNo,
    distinct,
)


class Activity(Section):
    """Which steps count: a tool by name, a state type, or an utterance by role and pattern.

    In a tool's name `*` matches any run of characters; `where` sets conditions on its arguments.
    """

    tool: str | None = None
    where: dict[str, MatcherField] = Field(default_factory=dict[str, Matcher])
    state: str | None = None
    role: str | None = None
    says: str | None = None
    succeeded: bool | None = None

    @model_validator(mode="after")
    def _something(self) -> Activity:
        if (
            self.tool is None
            and self.state is None
            and self.role is None
            and self.says is None
        ):
            raise ValueError("an activity needs one of: tool, state, role, says")
        return self


ActivityField = Annotated[Activity, text_as("tool")]


Template = Literal[
    "existence",
    "absence",
    "exactly",
    "init",
    "end",
    "forbidden",
    "responded_existence",
    "response",
    "alternate_response",
    "chain_response",
    "precedence",
    "alternate_precedence",
    "chain_precedence",
    "succession",
    "not_coexistence",
    "not_succession",
    "choice",
]


UNARY_TEMPLATES: frozenset[str] = frozenset(
    {"existence", "absence", "exactly", "init", "end", "forbidden"}
)


_COUNTED = frozenset({"existence", "absence", "exactly"})


_NO_DISTANCE = frozenset({"existence", "exactly", "init", "end", "forbidden", "choice"})


_NO_BINDING = UNARY_TEMPLATES | {"choice"}


class Within(Section):
    """The maximum distance between two steps: in steps of the kind the rule counts, in seconds, or both."""

    steps: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    seconds: Annotated[float, Field(gt=0, le=31_536_000)] | None = None

    @model_validator(mode="after")
    def _something(self) -> Within:
        if self.steps is None and self.seconds is None:
            raise ValueError("`within` needs `steps`, `seconds` or both")
        return self


def _default_code(rule: Mapping[str, Any]) -> FailureCode:
    if rule.get("template") == "forbidden":
        return FailureCode.UNAUTHORIZED_ACTION
    return FailureCode.SOP_NOT_FOLLOWED


class Rule(Section):
    """One procedure rule, named as in declarative process mining (DECLARE).

    About one `activity`: `existence` (at least `count` times), `absence` (fewer than `count` times: never, by default),
    `exactly` (`count` times), `init` (the first step), `end` (the last), `forbidden` (never; `UNAUTHORIZED_ACTION`).
    About `first` and `then`: `responded_existence`, `response`, `alternate_response`, `chain_response`, `precedence`,
    `alternate_precedence`, `chain_precedence`, `succession`, `not_coexistence`, `not_succession`, `choice`.

    same: arguments in which the two steps must agree, so that a confirmation counts only for its own target.
    within: how far apart the two steps may lie; for `absence`, the window in which `count` must not be reached;
        for `existence`, the first steps of the run in which `count` must be reached ("before step N").
    among: which steps count for first, last, next and distance. Left out: tool calls where all activities of the rule
        name tools, utterances where all are about utterances, states where all name states, else every step.
    """

    id: Id
    template: Template
    activity: ActivityField | None = None
    first: ActivityField | None = None
    then: ActivityField | None = None
    count: Annotated[int, Field(ge=1, le=1_000_000)] = 1
    same: list[str] = Field(default_factory=list[str])
    within: Within | None = None
    among: Literal["steps", "tools", "utterances", "states"] | None = None
    weight: Weight = 1.0
    gate: bool = True
    code: GradeCode = Field(default_factory=_default_code)

    @model_validator(mode="after")
    def _operands(self) -> Rule:
        has_activity = self.activity is not None
        has_first = self.first is not None
        has_then = self.then is not None
        if self.template in UNARY_TEMPLATES:
            if not has_activity or has_first or has_then:
                raise ValueError(
                    f"{self.template} takes `activity`, and neither `first` nor `then`"
                )
        elif has_activity or not has_first or not has_then:
            raise ValueError(
                f"{self.template} takes `first` and `then`, and no `activity`"
            )
        return self

    @model_validator(mode="after")
    def _modifiers(self) -> Rule:
        if "count" in self.model_fields_set and self.template not in _COUNTED:
            raise ValueError(f"{self.template} takes no `count`")
        if self.template == "existence":
            if self.within is not None and self.within.seconds is not None:
                raise ValueError("existence takes `within: {steps}` only")
        elif self.within is not None and self.template in _NO_DISTANCE:
            raise ValueError(f"{self.template} takes no `within`")
        if self.same and self.template in _NO_BINDING:
            raise ValueError(f"{self.template} takes no `same`")
        return self


class Requirement(Section):
    """Calls that must precede another call: one `call`, `all` of several, or `any` of several.

    A bare string is its `call`.

    `bind` names, for arguments of the earlier call, the argument of the later one that must have the same value.
    """

    call: Id | None = None
    bind: dict[str, str] = Field(default_factory=dict[str, str])
    all: list[Annotated[Requirement, text_as("call")]] | None = None
    any: list[Annotated[Requirement, text_as("call")]] | None = None

    @model_validator(mode="after")
    def _one_form(self) -> Requirement:
        if (self.call, self.all, self.any).count(None) != 2:
            raise ValueError("a requirement is one of: call, all, any")
        if self.call is None and self.bind:
            raise ValueError("`bind` belongs to a `call`")
        return self


class Implied(Section):
    """An earlier call that a successful call proves, with `bind` as in a requirement."""

    call: Id
    bind: dict[str, str] = Field(default_factory=dict[str, str])


class Prerequisite(Section):
    """What must have been called before a tool is called, and which earlier calls its call proves.

    An earlier call counts only when it did not fail and its own prerequisites held.
    """

    tool: Id
    requires: Annotated[Requirement, text_as("call")] | None = None
    implies: list[Implied] = Field(default_factory=list[Implied])
    weight: Weight = 1.0
    gate: bool = True
    code: GradeCode = FailureCode.SOP_NOT_FOLLOWED


class Replay(Section):
    """Compare the run with a simulator that enforces the rules. Each step's `replay` key holds the simulator's result.

    The run keeps the rules where its own results agree with the simulator's. A step without the key, or whose
    `replay_status` is set and not `ok`, is not compared. `wrapped: true` reads `[true, x]` as `x`.
    """

    wrapped: bool = False
    weight: Weight = 1.0
    gate: bool = True
    code: GradeCode = FailureCode.SOP_NOT_FOLLOWED


class ArgumentRule(Section):
    """Conditions on the arguments of every call of a tool. With `required`, an absent argument breaks the rule."""

    tool: Id
    arguments: dict[str, MatcherField]
    required: bool = False


class Permissions(Section):
    """What the agent may use. Anything else is `UNAUTHORIZED_ACTION`; without a list there is no limit.

    tools: tools that may be called (`*` matches any run of characters).
    arguments: conditions on the arguments of tools.
    paths: data that arguments may name: file paths, URLs, keys, with `*` for one segment and `**` for any number.
        Paths are normalised first: `a/../b` is `b`, and a path above the root is refused.
    denied_paths: exceptions from `paths`; no argument may name them, in whatever spelling.
    path_arguments: the arguments that hold paths. Left out: all whose name or value says so, commands too.
    """

    tools: list[Id] | None = None
    arguments: list[ArgumentRule] = Field(default_factory=list[ArgumentRule])
    paths: list[Id] | None = None
    denied_paths: list[Id] = Field(default_factory=list[str])
    path_arguments: list[Id] | None = None
    gate: bool = True


class Limits(Section):
    """How much a run may do. A loop is the same call (tool and arguments) made repeatedly.

    repeats: how often the same call may be made in a row; total_repeats: in the whole run; cycle: how often the same
    sequence of two or more calls may directly follow itself.
    """

    calls: Annotated[int, Field(ge=0)] | None = None
    steps: Annotated[int, Field(ge=0)] | None = None
    calls_per_tool: dict[str, Annotated[int, Field(ge=0)]] = Field(
        default_factory=dict[str, int]
    )
    repeats: Annotated[int, Field(ge=1)] | None = None
    total_repeats: Annotated[int, Field(ge=1)] | None = None
    cycle: Annotated[int, Field(ge=1)] | None = None
    except_tools: list[Id] = Field(default_factory=list[str])
    weight: Weight = 1.0
    gate: bool = True
    code: GradeCode = FailureCode.SOP_NOT_FOLLOWED


MaterialName = Literal["instruction", "final_answer", "outputs", "actions", "trace"]


_CONSTRAINT_MATERIALS: tuple[MaterialName, ...] = (
    "instruction",
    "trace",
    "final_answer",
)


class Constraint(Section):
    """One rule in prose, from the system prompt or a skill. A bare string is its `rule`.

    `question` replaces the question made of the rule; `pass_if` is the answer that keeps the rule.
    """

    rule: Annotated[str, Field(min_length=3)]
    id: Id | None = None
    question: Annotated[str, Field(min_length=3)] | None = None
    pass_if: YesNo = "yes"
    weight: Weight = 1.0
    gate: bool = True
    materials: list[MaterialName] = Field(
        default_factory=lambda: list(_CONSTRAINT_MATERIALS)
    )

    @model_validator(mode="after")
    def _own_question(self) -> Constraint:
        if self.question is None and self.pass_if == "no":
            raise ValueError("`pass_if: no` belongs to a `question` of your own")
        return self


ConstraintField = Annotated[Constraint, text_as("rule")]


class SopSpec(Section):
    """The procedure: tools that must or must not be used, rules over their order, permissions, limits, prose rules."""

    required_tools: list[Id] = Field(default_factory=list[str])
    forbidden_tools: list[Id] = Field(default_factory=list[str])
    rules: list[Rule] = Field(default_factory=list[Rule])
    prerequisites: list[Prerequisite] = Field(default_factory=list[Prerequisite])
    replay: Replay | None = None
    permissions: Permissions | None = None
    limits: Limits | None = None
    system_prompt: list[ConstraintField] = Field(default_factory=list[Constraint])
    skill: list[ConstraintField] = Field(default_factory=list[Constraint])

    @model_validator(mode="after")
    def _once(self) -> SopSpec:
        distinct("prerequisites", [entry.tool for entry in self.prerequisites])
        return self
