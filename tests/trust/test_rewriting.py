"""A result that must not pass does not pass in any other form that means the same."""

from __future__ import annotations

import sys
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from accuracy.trust_cases import TrustCase, grade_cases, read_cases
from accuracy.trust_rewriting import REWRITINGS, rewritten

FORMS_A_CASE = 4
"""How many forms of each case are tried here; `benchmarks/accuracy/trust.py --rewritten` tries all."""


def _drawn(case: TrustCase, forms: list[str]) -> list[str]:
    """Some of the forms: others for each case, the same in every run."""
    return sorted(
        forms, key=lambda form: sha256(f"{case.name}{form}".encode()).digest()
    )[:FORMS_A_CASE]


def test_no_form_of_a_dishonest_case_passes() -> None:
    variants: list[TrustCase] = []
    tried: set[str] = set()
    for case in read_cases():
        if case.honest:
            continue
        forms = rewritten(case.result)
        for form in _drawn(case, list(forms)):
            tried.add(form)
            name = f"{case.id} {form}"
            variants.append(replace(case, id=name, result=forms[form]))
    graded = grade_cases(variants)
    passed = [name for name, outcome in graded.items() if outcome.gate == "pass"]
    assert not passed, passed
    assert len(tried) >= 0.8 * len(REWRITINGS)
