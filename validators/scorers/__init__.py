"""Scorers of other libraries as checks: autoevals, RAGAS, DeepEval metrics, Guardrails validators, plain callables.

    validators:
      - name: scorers
        args:
          scorers:
            - {id: wording, use: "autoevals:Levenshtein", expected: Your refund is on its way., threshold: 0.8}
            - {id: polite, use: "my_checks:is_polite", metric: readability, gating: true}

Each scorer is one check. It is soft unless `gating: true`. What the scorer raises, and a score it does not give, is an
error of the evaluator, never a failed check.
"""

from __future__ import annotations

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.validator import Case, Outcome, Stage, validator


@validator(
    name="scorers",
    version="1",
    codes=(FailureCode.UNKNOWN_FAILURE,),
    covers=lambda _contract: (),
    stage=Stage.MODEL,
    gate=False,
)
async def scorers(case: Case) -> Outcome:
    """Scorers of other libraries that the contract names: autoevals, RAGAS, DeepEval, Guardrails, plain callables."""
    # Few contracts name scorers of other libraries.
    from judgemesh.validators.scorers.check import check_scorers

    return await check_scorers(case)
