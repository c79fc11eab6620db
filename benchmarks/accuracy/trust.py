"""How often the gate is wrong about short cases that were written to fool it, and about honest ones like them.

    python benchmarks/accuracy/trust.py [--cases FOLDER] [--judge none|agreeable|adversarial] [--rewritten] [--list]

grades the cases of the folder (by default those of `tests/trust/cases`), half of which must pass and half must not.
Prints one JSON line: in all and by family `cases`, `false_passes`, `false_fails`, `undecided` (honest cases that need
no judge) and `unexpected` (right, but not with the stated gate or codes). `--list` prints the name of each case that
came out wrong, with what came out. `--rewritten` grades the cases that must not pass in all other forms that mean the
same (`trust_rewriting.py`). Exits with 1 where a case came out wrong.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from accuracy.trust_cases import (
    CASES,
    Finding,
    Graded,
    JudgeMode,
    TrustCase,
    compare,
    grade_cases,
    read_cases,
)
from accuracy.trust_rewriting import rewritten

_WRONG = (Finding.FALSE_PASS, Finding.FALSE_FAIL, Finding.UNEXPECTED)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="False passes and false fails.")
    parser.add_argument("--cases", type=Path, default=CASES, metavar="FOLDER")
    parser.add_argument(
        "--judge", type=JudgeMode, default=JudgeMode.NONE, choices=list(JudgeMode)
    )
    parser.add_argument("--family", action="append", help="only these families")
    parser.add_argument("--list", action="store_true", help="print the wrong cases")
    parser.add_argument("--rewritten", action="store_true", help="in other forms")
    options = parser.parse_args()
    cases = [
        case
        for case in read_cases(options.cases)
        if not options.family or case.family in options.family
    ]
    if options.rewritten:
        cases = list(_forms(cases))
    graded = grade_cases(cases, options.judge)
    findings = {
        case.name: compare(case, graded[case.name], options.judge) for case in cases
    }
    if options.list:
        for case in cases:
            if findings[case.name] is not Finding.RIGHT:
                print(
                    _line(case, findings[case.name], graded[case.name]), file=sys.stderr
                )
    print(
        json.dumps(
            {**_summary(cases, findings), "families": _by_family(cases, findings)}
        )
    )
    return int(any(finding in _WRONG for finding in findings.values()))


def _forms(cases: list[TrustCase]) -> Iterator[TrustCase]:
    """The cases that must not pass, in every form that means the same; which gate they get does not matter."""
    for case in cases:
        if case.honest:
            continue
        for form, result in rewritten(case.result).items():
            yield replace(
                case, id=f"{case.id} ({form})", result=result, gate=None, codes=()
            )


def _line(case: TrustCase, finding: Finding, graded: Graded) -> str:
    codes = ",".join(sorted(graded.codes))
    return f"{finding}: {case.name}: {graded.gate} {codes}: {graded.explanation[:300]} [{case.why}]"


def _summary(cases: list[TrustCase], findings: dict[str, Finding]) -> dict[str, Any]:
    counts = Counter(findings[case.name] for case in cases)
    return {
        "cases": len(cases),
        "honest": sum(case.honest for case in cases),
        "false_passes": counts[Finding.FALSE_PASS],
        "false_fails": counts[Finding.FALSE_FAIL],
        "undecided": counts[Finding.UNDECIDED],
        "unexpected": counts[Finding.UNEXPECTED],
    }


def _by_family(cases: list[TrustCase], findings: dict[str, Finding]) -> dict[str, Any]:
    families: dict[str, list[TrustCase]] = {}
    for case in cases:
        families.setdefault(case.family, []).append(case)
    return {name: _summary(group, findings) for name, group in families.items()}


if __name__ == "__main__":
    sys.exit(main())
