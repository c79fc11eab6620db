"""Does asking a model about its own references tell the real ones from the invented ones, and is it calibrated?

    python benchmarks/accuracy/hallucinated_references.py --data FOLDER [--halves N]

takes every `*.jsonl` of the folder whose rows have `exists` (the truth), `topic`, `direct_votes` (one text for each
prompt: a Y, N or ? for each sample; rows may have different numbers of prompts) and, where it is known,
`p_indirect_author_consistency`. Prints one JSON line a file:

    file, items
    auroc_mean        the mean of all probes as a score
    ece_raw           that mean taken as a probability
    ece_calibrated    after ridge-logistic calibration on other topics only (5 folds, no topic in two of them; the mean
                      of 10 ways to deal the topics out); null where there are no other topics, or fewer than 30 items
    ece_null          the error that perfectly calibrated claims like these show by chance: mean, 95 % quantile
    third_answers     samples that answered "?"

With `--halves N` also `halves`: `ece_calibrated` on N random halves of the topics: the mean, the largest, and the share
above .06.

"?" is a third answer: it is a vote for nobody, so a prompt's probe is the share of Y among its Y and N, and a prompt
that got nothing else is no probe.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from judgemesh.mesh.calibration.logistic import fit_logistic, sigmoid
from judgemesh.mesh.calibration.reliability import (
    auroc,
    expected_calibration_error,
    null_calibration_error,
)
from judgemesh.mesh.judging.confidence.platt import MIN_LABELS
from judgemesh.mesh.judging.signals import logit

Floats = NDArray[np.float64]
Json = dict[str, Any]

FOLDS = 5
DEALS = 10
BAR = 0.06
NEEDED_KEYS = frozenset({"exists", "topic", "direct_votes"})
INDIRECT = "p_indirect_author_consistency"
EDGE = 0.02
"""Probes are held within this distance of 0 and 1: ten equal samples are no certainty."""


def read(path: Path) -> list[Json]:
    """The usable rows of a file."""
    rows: list[Json] = []
    left_out = 0
    with path.open(encoding="utf-8", errors="replace") as lines:
        for line in filter(str.strip, lines):
            try:
                given: Any = json.loads(line)
            except (ValueError, RecursionError):
                given = None
            row = cast("Json", given) if isinstance(given, dict) else {}
            if (
                row.keys() >= NEEDED_KEYS
                and row["exists"] in (0, 1)
                and texts(row["direct_votes"]) is not None
            ):
                rows.append(row)
            else:
                left_out += 1
    if left_out:
        print(
            f"{path}: {left_out} lines are no probed references; left out",
            file=sys.stderr,
        )
    return rows


def texts(given: object) -> list[str] | None:
    """The answers of each prompt as one text; None where they are none."""
    if isinstance(given, dict):
        given = list(cast("Json", given).values())
    if not isinstance(given, list):
        return None
    return [text_of(one) for one in cast("list[object]", given)]


def text_of(answers: object) -> str:
    """The answers of one prompt, given as a text or as a list."""
    if isinstance(answers, list):
        return "".join(map(str, cast("list[object]", answers))).upper()
    return answers.upper() if isinstance(answers, str) else ""


def probes_of(row: Json, prompts: int) -> list[float]:
    """One number a probe, NaN where it has no answer."""
    direct = [share(votes) for votes in texts(row["direct_votes"]) or []]
    indirect = row.get(INDIRECT)
    probe = float("nan")
    if (
        isinstance(indirect, int | float)
        and not isinstance(indirect, bool)
        and 0 <= indirect <= 1
    ):
        probe = float(indirect)
    return [*direct, *[float("nan")] * (prompts - len(direct)), probe]


def share(votes: str) -> float:
    """The share of Y among Y and N."""
    yes, no = votes.count("Y"), votes.count("N")
    return yes / (yes + no) if yes + no else float("nan")


def measure(name: str, rows: list[Json]) -> Json:
    """The line of one file."""
    truth = [bool(row["exists"]) for row in rows]
    votes = [texts(row["direct_votes"]) or [] for row in rows]
    prompts = max(map(len, votes))
    probes = np.array([probes_of(row, prompts) for row in rows])
    silent = np.isnan(probes).all(axis=1)
    mean = np.where(
        silent,
        0.5,
        np.nansum(probes, axis=1) / np.maximum(1, (~np.isnan(probes)).sum(axis=1)),
    )
    claims = held_out(probes, np.array(truth), [str(row["topic"]) for row in rows])
    if not claims:
        print(
            f"{name}: not calibrated: that takes {MIN_LABELS} items and more than one topic",
            file=sys.stderr,
        )
    errors = [expected_calibration_error(one, truth) for one in claims]
    return {
        "file": name,
        "items": len(rows),
        "auroc_mean": round(auroc(mean.tolist(), truth), 4),
        "ece_raw": round(expected_calibration_error(mean.tolist(), truth), 4),
        "ece_calibrated": round(sum(errors) / len(errors), 4) if errors else None,
        "ece_null": [round(one, 4) for one in null_calibration_error(claims[0])]
        if claims
        else None,
        "third_answers": sum(text.count("?") for one in votes for text in one),
    }


def held_out(
    probes: Floats, truth: NDArray[np.bool_], topics: list[str]
) -> list[list[float]]:
    """The calibrated probability of every item, fitted without its topic, once for each deal of the topics; nothing
    for a single topic, or too few items."""
    names = sorted(set(topics))
    if len(names) == 1 or len(truth) < MIN_LABELS:
        return []
    logits = np.array([[held(probe) for probe in row] for row in probes.tolist()])
    columns = np.column_stack([logits, np.ones(len(logits))])
    penalty = np.array([1.0] * logits.shape[1] + [0.01])
    draw = np.random.default_rng(0)
    deals: list[list[float]] = []
    for _ in range(DEALS):
        order: list[int] = draw.permutation(len(names)).tolist()
        fold_of = {names[which]: at % FOLDS for at, which in enumerate(order)}
        folds = np.array([fold_of[topic] for topic in topics])
        chances = np.zeros(len(truth))
        for fold in sorted(set(folds.tolist())):
            train, test = folds != fold, folds == fold
            weights = fit_logistic(columns[train], truth[train].astype(float), penalty)
            chances[test] = sigmoid(columns[test] @ weights)
        deals.append(chances.tolist())
    return deals


def held(probe: float) -> float:
    """The logit of a probe held away from 0 and 1; 0 for none."""
    return 0.0 if np.isnan(probe) else logit(min(max(probe, EDGE), 1.0 - EDGE))


def halves(rows: list[Json], count: int) -> Json:
    """The calibrated error with half of the topics to learn from and to be tried on."""
    draw = np.random.default_rng(0)
    topics = sorted({str(row["topic"]) for row in rows})
    errors: list[float] = []
    for _ in range(count):
        order: list[int] = draw.permutation(len(topics)).tolist()
        kept = {topics[which] for which in order[: len(topics) // 2]}
        found = measure("half", [row for row in rows if str(row["topic"]) in kept])[
            "ece_calibrated"
        ]
        errors += [] if found is None else [float(found)]
    if not errors:
        return {"halves": 0}
    above = sum(error > BAR for error in errors) / len(errors)
    return {
        "halves": len(errors),
        "mean": round(sum(errors) / len(errors), 4),
        "largest": max(errors),
        "above": above,
    }


def main() -> int:
    """Run the benchmark; exit code 2 when the folder holds no probed references."""
    parser = argparse.ArgumentParser(
        description="Probes of a model about its own references, against the truth."
    )
    parser.add_argument("--data", required=True, type=Path, metavar="FOLDER")
    parser.add_argument(
        "--halves", type=int, default=0, metavar="N", help="random halves of the topics"
    )
    given = parser.parse_args()
    folder: Path = given.data
    found = 0
    for path in sorted(folder.glob("*.jsonl")):
        rows = read(path)
        if len({row["exists"] for row in rows}) > 1:
            found += 1
            line = measure(path.name, rows)
            print(
                json.dumps(
                    line
                    | ({"halves": halves(rows, given.halves)} if given.halves else {})
                ),
                flush=True,
            )
    if not found:
        print(
            f"{folder}: no *.jsonl file with probed references, real and invented",
            file=sys.stderr,
        )
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
