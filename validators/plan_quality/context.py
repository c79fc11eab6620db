"""What the checks of a plan look at."""

from __future__ import annotations

from dataclasses import dataclass

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.sections.tools import PlanSpec
from judgemesh.validators.plan_quality.plan import AgentPlan
from judgemesh.validators.plan_quality.simulation import Simulation
from judgemesh.validators.tool_selection.registry import ToolRegistry, registry_of


@dataclass(frozen=True, slots=True)
class PlanContext:
    """A plan with its contract. `simulation` is None where the contract declares no actions."""

    plan: AgentPlan
    spec: PlanSpec
    contract: EvalContract
    simulation: Simulation | None

    @property
    def registry(self) -> ToolRegistry | None:
        """The tools of the contract, where it lists them."""
        return None if self.contract.tools is None else registry_of(self.contract.tools)
