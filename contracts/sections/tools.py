"""Contract sections `tools` and `plan`: an expert's calls, a registry of tools, and what a plan must hold."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import Field, model_validator

from judgemesh.contracts.parts import Id, JsonObject
from judgemesh.contracts.sections.section import (
    Matcher,
    MatcherField,
    Section,
    distinct,
)


class Tool(Section):
    """What is known about a tool that the agent could use.

    `equivalents` do the same work, in either direction. `parameters` is the JSON Schema of its arguments; `cost` is
    a number in any one unit, by which equivalents are compared.
    """

    name: Id
    aliases: list[Id] = Field(default_factory=list[str])
    access: Literal["read", "write"] | None = None
    risk: Literal["safe", "destructive"] | None = None
    cost: Annotated[float, Field(ge=0)] | None = None
    equivalents: list[Id] = Field(default_factory=list[str])
    parameters: JsonObject | bool | None = None


class ExpertCall(Section):
    """A call an expert makes, `count` times. Arguments in `optional` may be left out.

    `match: exact` allows no arguments beside those listed, `subset` does.
    """

    tool: Id
    arguments: dict[str, MatcherField] = Field(default_factory=dict[str, Matcher])
    optional: list[str] = Field(default_factory=list[str])
    match: Literal["exact", "subset"] = "exact"
    count: Annotated[int, Field(ge=1, le=10_000)] = 1


class ToolsSpec(Section):
    """Tool selection: the expert's calls, and the registry of tools.

    `expected: []` says that no call is right; without `expected` the calls are compared with the registry only.
    `extra_calls`: calls beyond the expert's are wrong picks (`penalise`, each weighing `extra_penalty`), are wrong and
    fail the gate (`forbid`), or do not count (`allow`). `ignore` names tools that are no decisions (`*` matches any run
    of characters). `min_score` is a gate: the `measure` must reach it, and single wrong picks do not fail the run then.
    `retries: ignore` leaves out a failed call that a later call of the same tool repeats. Calls made at once in one
    message have no order.
    """

    expected: list[ExpertCall] | None = None
    ordered: bool = False
    extra_calls: Literal["penalise", "forbid", "allow"] = "penalise"
    extra_penalty: Annotated[float, Field(ge=0, le=100)] = 1.0
    ignore: list[Id] = Field(default_factory=list[str])
    registry: list[Tool] = Field(default_factory=list[Tool])
    gate: bool = False
    min_score: Annotated[float, Field(ge=0, le=1)] | None = None
    measure: Literal["share", "precision", "recall", "f1"] = "share"
    retries: Literal["count", "ignore"] = "count"

    @model_validator(mode="after")
    def _measured(self) -> ToolsSpec:
        if "measure" in self.model_fields_set and self.min_score is None:
            raise ValueError("`measure` says what `min_score` is about; give both")
        return self

    @model_validator(mode="after")
    def _names(self) -> ToolsSpec:
        names: list[str] = []
        for tool in self.registry:
            names += (tool.name, *tool.aliases)
        distinct("tools.registry", names)
        known = set(names)
        for tool in self.registry:
            for equivalent in tool.equivalents:
                if equivalent not in known:
                    raise ValueError(
                        f"the equivalent {equivalent!r} of {tool.name!r} is not in the registry"
                    )
        if not known:
            return self
        for call in self.expected or ():
            if call.tool not in known:
                raise ValueError(
                    f"the expert calls {call.tool!r}, which is not in the registry"
                )
        return self


_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


PlanCriterion = Literal["ordering", "branches", "scope", "reversibility"]


PLAN_CRITERIA: tuple[PlanCriterion, ...] = (
    "ordering",
    "branches",
    "scope",
    "reversibility",
)


PlanCheck = Literal[
    "conditions", "required", "ordering", "branches", "scope", "reversibility"
]


_PLAN_GATE: tuple[PlanCheck, ...] = ("conditions",)


Facts = Annotated[list[Id], Field(max_length=10_000)]


class PlanAction(Section):
    """What a step does, as facts. `{x}` in a fact stands for the parameter `x` of the step.

    Needs `requires`, must not meet `forbids`; then makes `removes` untrue and `adds` true.
    """

    parameters: list[Id] = Field(default_factory=list[str])
    requires: Facts = Field(default_factory=list[str])
    forbids: Facts = Field(default_factory=list[str])
    adds: Facts = Field(default_factory=list[str])
    removes: Facts = Field(default_factory=list[str])
    access: Literal["read", "write"] | None = None
    may_fail: bool | None = None

    @model_validator(mode="after")
    def _known_parameters(self) -> PlanAction:
        for fact in (*self.requires, *self.forbids, *self.adds, *self.removes):
            for name in _PLACEHOLDER.findall(fact):
                if name not in self.parameters:
                    raise ValueError(
                        f"{fact!r} names {{{name}}}, which is no parameter of the action"
                    )
        return self


class PlanSpec(Section):
    """The plan before the run: what it must contain, what lies in its scope, and what its steps do.

    `steps` is how many steps the task takes (a task of fewer than 3 needs no plan); `required` and `allowed` name
    actions, `*` matching any run of characters. With `actions`, `initial` and `goal` the plan is carried out on facts.
    `measure` picks the criteria of planning quality, `gate` the checks that decide the hard gate.
    """

    objective: str = ""
    steps: Annotated[int, Field(ge=0, le=100_000)] | None = None
    required: list[Id] = Field(default_factory=list[str])
    allowed: list[Id] = Field(default_factory=list[str])
    actions: dict[str, PlanAction] = Field(default_factory=dict[str, PlanAction])
    initial: Facts = Field(default_factory=list[str])
    goal: Facts = Field(default_factory=list[str])
    measure: list[PlanCriterion] = Field(default_factory=lambda: list(PLAN_CRITERIA))
    gate: list[PlanCheck] = Field(default_factory=lambda: list(_PLAN_GATE))
