"""What a validator would say if no further question was answered.

Validators are pure: running one again changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.needs import Answer
from judgemesh.contracts.validator import Case, Judgement
from judgemesh.contracts.verdicts import Fail, Verdict
from judgemesh.mesh.grading.aggregate import gating_of
from judgemesh.mesh.grading.plan import PlannedValidator
from judgemesh.mesh.grading.verdicts import verdicts_of


def replayed(
    planned: PlannedValidator, case: Case, rounds: Sequence[Mapping[str, Answer]]
) -> list[Verdict] | None:
    """Run a validator from the start with these answers, one mapping for each time it yields needs.

    None if it does not return then, or raises.
    """
    try:
        generator = cast("Judgement", planned.validator.run(case))
        next(generator)
        for answers in rounds:
            generator.send(answers)
    except StopIteration as stop:
        return verdicts_of(stop.value)
    except Exception:  # noqa: BLE001 (what it says in the end counts)
        return None
    generator.close()
    return None


def fails_gate(
    verdicts: Sequence[Verdict], planned: PlannedValidator, contract: EvalContract
) -> bool:
    """Whether the gate fails by these verdicts of a validator."""
    for verdict in verdicts:
        if isinstance(verdict, Fail) and gating_of(
            verdict,
            override=planned.gate,
            validator_gates=planned.validator.gate,
            contract=contract,
        ):
            return True
    return False
