"""What panels, calibration and the cascade make of recorded answers of several judges, against human labels.

    python benchmarks/accuracy/judge_votes.py --data FOLDER [--subsets N]

takes every `*.jsonl` of the folder whose rows have `human` and either `votes` {judge: 1 | 0 | null} or `p_output2`
{judge: probability that the second output is the better one} (`human` is then 1 or 2). Prints one JSON line a file:

    file, items
    best_single       agreement with the labels of the judge that agrees most, over the items it voted on
    majority          more than half of the valid votes; a tie counts half
    dawid_skene       without labels
    selective_90      majority on the 90 % of items with the clearest majority
    default_panel     the panel that labels choose, on items it saw no label of: 5 folds, the mean of 5 shuffles
    n_eff, warning    how many independent votes the judges are worth, and what to beware of

With `--subsets N` also `subsets`: the default panel against the best judge on N random choices of at least two judges
and of half of the rows or more: the mean difference, the worst, and the share of choices in which the panel is more
than a point below.

Rows that no judge has answered count half, as ties do. Below 30 labels the default panel is the majority.

and for probabilities also

    ece_raw, ece_platt
        the strongest judge before and after calibration on the other half; the held-out predictions of all splits
        pooled; null below 60 items
    ece_half, ece_half_null, ece_half_debiased
        the same error of each held-out half by itself, the mean over the splits; what a perfectly calibrated judge
        with these claims shows on such a half by chance; and the root mean squared error less that chance
    cascade_accuracy, cascade_coverage, splits
        thresholds certified (alpha .15, delta .1) on 4/5 of the items, used on the rest; the mean over the splits, a
        split without a certified threshold covering nothing
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from accuracy import recorded_panels

from judgemesh.mesh.calibration import effective_votes, panel_methods
from judgemesh.mesh.calibration.logistic import fit_logistic, sigmoid
from judgemesh.mesh.calibration.reliability import (
    expected_calibration_error,
    null_calibration_error,
)
from judgemesh.mesh.calibration.thresholds import (
    Cascade,
    JudgedItem,
    certify_cascade,
    settle,
)
from judgemesh.mesh.judging.confidence.platt import MIN_LABELS
from judgemesh.mesh.judging.signals import logit

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

SHUFFLES = 5
SPLITS = 200
_EQUAL_BINS = 10
NULL_DRAWS = 20
ALPHA, DELTA = 0.15, 0.1
CALIBRATION_SHARE = 0.8


@dataclass(frozen=True)
class Recorded:
    """One file: votes or probabilities (items x judges, NaN for none) and the human labels."""

    judges: tuple[str, ...]
    votes: Floats
    truth: Bools
    probabilities: bool


def read(path: Path) -> Recorded | None:
    """The usable rows of a file; None when it has none."""
    rows: list[tuple[dict[str, Any], bool]] = []
    left_out, probabilities = 0, False
    with path.open(encoding="utf-8", errors="replace") as lines:
        for line in filter(str.strip, lines):
            row = _row(line)
            if row is None:
                left_out += 1
                continue
            rows.append(row[:2])
            probabilities = probabilities or row[2]
    if left_out:
        print(
            f"{path}: {left_out} lines are no judged items; left out", file=sys.stderr
        )
    judges = tuple(dict.fromkeys(name for given, _ in rows for name in given))
    if not judges:
        return None
    votes = np.array(
        [[_number(given.get(name)) for name in judges] for given, _ in rows]
    )
    silent = int(np.isnan(votes).all(axis=1).sum())
    if silent:
        print(
            f"{path}: {silent} rows have no readable answer of any judge; they count half",
            file=sys.stderr,
        )
    if silent == len(votes):
        return None
    return Recorded(
        judges, votes, np.array([truth for _, truth in rows]), probabilities
    )


def _row(line: str) -> tuple[dict[str, Any], bool, bool] | None:
    """Answers by judge, the label, and whether the answers are probabilities."""
    try:
        given: Any = json.loads(line)
    except (ValueError, RecursionError):
        return None
    row = cast("dict[str, Any]", given) if isinstance(given, dict) else {}
    human, votes, chances = row.get("human"), row.get("votes"), row.get("p_output2")
    if isinstance(votes, dict) and human in (0, 1):
        return cast("dict[str, Any]", votes), bool(human), False
    if isinstance(chances, dict) and human in (1, _SECOND):
        return cast("dict[str, Any]", chances), human == _SECOND, True
    return None


_SECOND = 2


def _number(value: object) -> float:
    valid = isinstance(value, int | float) and 0 <= value <= 1
    return float(value) if valid and isinstance(value, int | float) else float("nan")


def measure(name: str, data: Recorded) -> dict[str, object]:
    """The line of one file."""
    votes, truth = data.votes, data.truth
    best = panel_methods.best_judge(votes, truth)
    share = panel_methods.majority(votes)
    clearest = np.argsort(-np.nan_to_num(np.abs(share - 0.5), nan=-1.0), kind="stable")[
        : max(1, int(0.9 * len(truth)))
    ]
    unsupervised = recorded_panels.dawid_skene(votes)
    fitted = [
        recorded_panels.cross_fitted(votes, truth, seed=seed)[0]
        for seed in range(SHUFFLES)
    ]
    n_eff = effective_votes.effective_votes(effective_votes.errors_of(votes, truth))
    line: dict[str, object] = {
        "file": name,
        "items": len(truth),
        "judges": len(data.judges),
        "best_single": _rounded(panel_methods.accuracy(votes[:, best], truth) or 0.0),
        "majority": _credit(share, truth),
        "dawid_skene": _credit(unsupervised.chances, truth),
        "selective_90": _credit(share[clearest], truth[clearest]),
        "default_panel": _rounded(
            float(np.mean([panel_methods.credit(chances, truth) for chances in fitted]))
        ),
        "n_eff": _rounded(n_eff),
        "warning": "; ".join(_warnings(data, unsupervised, n_eff)) or None,
    }
    return line | (_probabilities(votes, truth, best) if data.probabilities else {})


def _warnings(
    data: Recorded, unsupervised: recorded_panels.Unsupervised, n_eff: float
) -> list[str]:
    found = [unsupervised.warning] if unsupervised.warning else []
    checked = recorded_panels.contradicted_by_labels(
        unsupervised, panel_methods.majority(data.votes), data.truth
    )
    if checked:
        found.append(checked)
    if n_eff < effective_votes.FEW_VOTES and len(data.judges) > 1:
        found.append(effective_votes.nearly_one(n_eff, len(data.judges)))
    return found


def _probabilities(chances: Floats, truth: Bools, best: int) -> dict[str, object]:
    given = ~np.isnan(chances[:, best])
    raw, labels = chances[given, best], truth[given]
    accuracy, coverage = _cascade(chances, truth)
    return {
        "ece_raw": _rounded(expected_calibration_error(raw.tolist(), labels.tolist())),
        **_calibrated_errors(raw, labels),
        "cascade_accuracy": None if accuracy is None else _rounded(accuracy),
        "cascade_coverage": _rounded(coverage),
        "splits": SPLITS,
    }


def _calibrated_errors(raw: Floats, truth: Bools) -> dict[str, float | None]:
    names = ("ece_platt", "ece_half", "ece_half_null", "ece_half_debiased")
    if len(truth) < 2 * MIN_LABELS:
        return dict.fromkeys(names)
    logits = np.array([[logit(chance), 1.0] for chance in raw.tolist()])
    draw = np.random.default_rng(0)
    claims: list[float] = []
    labels: list[bool] = []
    halves: list[tuple[float, float, float]] = []
    for number in range(SPLITS):
        order = draw.permutation(len(truth))
        train, test = order[: len(order) // 2], order[len(order) // 2 :]
        weights = fit_logistic(
            logits[train], truth[train].astype(np.float64), np.array([1.0, 0.01])
        )
        said: list[float] = sigmoid(logits[test] @ weights).tolist()
        told: list[bool] = truth[test].tolist()
        by_chance = null_calibration_error(said, draws=NULL_DRAWS, seed=number)[0]
        halves.append(
            (
                expected_calibration_error(said, told),
                by_chance,
                squared_calibration_error(said, told),
            )
        )
        claims += said
        labels += told
    plain, null, squares = (
        float(np.mean([half[at] for half in halves])) for at in range(len(halves[0]))
    )
    pooled = expected_calibration_error(claims, labels)
    return dict(
        zip(
            names,
            map(_rounded, (pooled, plain, null, float(np.sqrt(max(0.0, squares))))),
            strict=True,
        )
    )


def squared_calibration_error(chances: Sequence[float], truth: Sequence[bool]) -> float:
    """Mean squared distance between claimed and observed, less what chance alone puts into each bin.

    Bins hold equally many claims; a bin's squared distance is lowered by o (1-o) / (n-1), the variance of its observed
    share o (Kumar, Liang and Ma 2019, "Verified uncertainty calibration"). So it is right on average over samples, and
    below 0 where chance explains more than there is. The root of its mean is never less than the mean distance.
    """
    ordered = sorted(zip(chances, truth, strict=True), key=lambda item: item[0])
    total, squares = len(ordered), 0.0
    for number in range(min(_EQUAL_BINS, total)):
        box = (
            ordered[number * total // _EQUAL_BINS : (number + 1) * total // _EQUAL_BINS]
            if total >= _EQUAL_BINS
            else [ordered[number]]
        )
        observed = sum(true for _, true in box) / len(box)
        claimed = math.fsum(chance for chance, _ in box) / len(box)
        noise = observed * (1.0 - observed) / (len(box) - 1) if len(box) > 1 else 0.0
        squares += len(box) * ((claimed - observed) ** 2 - noise)
    return squares / total


def _cascade(chances: Floats, truth: Bools) -> tuple[float | None, float]:
    """Judges in the order of the file, cheapest first; each is believed by its own confidence."""
    said: list[list[JudgedItem | None]] = [
        [
            _said(chance, label)
            for chance, label in zip(row, truth.tolist(), strict=True)
        ]
        for row in chances.T.tolist()
    ]
    draw = np.random.default_rng(0)
    rates: list[float] = []
    covered = 0.0
    for _ in range(SPLITS):
        order: list[int] = draw.permutation(len(truth)).tolist()
        cut = int(CALIBRATION_SHARE * len(order))
        found = certify_cascade(
            [[stage[item] for item in order[:cut]] for stage in said],
            alpha=ALPHA,
            delta=DELTA,
        )
        if not isinstance(found, Cascade):
            continue
        settled = [
            right
            for item in order[cut:]
            if (right := settle([stage[item] for stage in said], found.thresholds))
            is not None
        ]
        covered += len(settled) / len(order[cut:])
        if settled:
            rates.append(sum(settled) / len(settled))
    return (float(np.mean(rates)) if rates else None), covered / SPLITS


def _said(chance: float, label: bool) -> JudgedItem | None:  # noqa: FBT001 - a value of the data
    return (
        None
        if np.isnan(chance)
        else (max(chance, 1.0 - chance), (chance > 0.5) == label)
    )


def _credit(chances: Floats, truth: Bools) -> float:
    return _rounded(float(np.mean(panel_methods.credit(chances, truth))))


def _rounded(value: float) -> float:
    return round(value, 4)


def subsets(data: Recorded, count: int) -> dict[str, object]:
    """The default panel less the best judge, over random choices of judges and rows."""
    draw = random.Random(0)  # noqa: S311 - a sample
    items, width = data.votes.shape
    gains: list[float] = []
    for seed in range(count):
        rows = draw.sample(range(items), draw.randint(items // 2, items))
        columns = draw.sample(range(width), draw.randint(2, width))
        votes, truth = data.votes[rows][:, columns], data.truth[rows]
        best = (
            panel_methods.accuracy(
                votes[:, panel_methods.best_judge(votes, truth)], truth
            )
            or 0.0
        )
        fitted = [
            recorded_panels.cross_fitted(votes, truth, seed=seed + shuffle)[0]
            for shuffle in range(SHUFFLES)
        ]
        gains.append(
            float(np.mean([panel_methods.credit(chances, truth) for chances in fitted]))
            - best
        )
    below = float(np.mean([gain < -_POINT for gain in gains]))
    return {
        "choices": count,
        "mean": _rounded(float(np.mean(gains))),
        "worst": _rounded(min(gains)),
        "below": below,
    }


_POINT = 0.01


def main() -> int:
    """Run the benchmark; exit code 2 when the folder holds no recorded votes."""
    parser = argparse.ArgumentParser(
        description="Panels, calibration and cascade on recorded judge answers."
    )
    parser.add_argument("--data", required=True, type=Path, metavar="FOLDER")
    parser.add_argument(
        "--subsets",
        type=int,
        default=0,
        metavar="N",
        help="random choices of judges and rows",
    )
    given = parser.parse_args()
    folder: Path = given.data
    found = 0
    for path in sorted(folder.glob("*.jsonl")):
        data = read(path)
        if data is not None:
            found += 1
            line = measure(path.name, data)
            if given.subsets and len(data.judges) > 1:
                line["subsets"] = subsets(data, given.subsets)
            print(json.dumps(line), flush=True)
    if not found:
        print(f"{folder}: no *.jsonl file with recorded votes", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
