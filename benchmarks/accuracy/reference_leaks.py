"""How well shallow features of a run predict its canonical class in the reference set.

    python benchmarks/accuracy/reference_leaks.py [--seeds 2] [--trees 60] [--only GROUP] [--table]

A set leaks if the class can be read off features that are no part of the work: the version of the agent, cost, latency,
the time of the start, the place in the file. A random forest predicts the class from each feature group, and from all
groups of a kind together. Cross-validation is by task: all runs of a task are in the same of ten folds. The constant
predictor says the most frequent class of the nine other folds. Accuracies are means over `--seeds` divisions into
folds; the interval of the difference is a bootstrap over tasks (2,000 resamples, 95 %). `auc` is the area under the
curve for complete against all other classes (0.5 is chance), from the mean of the out-of-fold probabilities; it also
sees a leak that does not change the most probable class.

Prints one JSON line: `runs`, `tasks`, `constant`, and for each feature group `kind`, `accuracy`, `gain` (accuracy minus
constant), `low` and `high`. `--table` prints the same for people to read.

Needs scikit-learn: `pip install judgemesh[test]`.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier  # type: ignore[import-untyped]
from sklearn.feature_extraction import DictVectorizer  # type: ignore[import-untyped]
from sklearn.model_selection import GroupKFold  # type: ignore[import-untyped]

Json = dict[str, Any]
Features = dict[str, float | str]
Values = NDArray[np.float64]

ROOT = Path(__file__).resolve().parents[2]
FOLDS = 10
RESAMPLES = 2_000
SECONDS_A_DAY = 86_400
COMPLETE = "complete"
FIGURES = ("accuracy", "gain", "low", "high", "auc", "auc_low", "auc_high")
# What no reader of the work needs to see, and what the work itself shows.
KINDS = {
    "metadata": ("version", "cost", "latency", "start", "place", "result_id"),
    "work": ("status", "answer_length", "steps"),
}


def runs_of(folder: Path) -> list[Json]:
    """Every run with its family, its label, and its place in the file and among the runs of its task."""
    runs: list[Json] = []
    for file in sorted(folder.glob("*/results.jsonl")):
        labels = {
            row["result_id"]: row["outcome_class"]
            for row in _rows(file.with_name("labels.jsonl"))
        }
        rows = list(_rows(file))
        sizes = Counter(row["task_id"] for row in rows)
        seen: Counter[str] = Counter()
        for number, row in enumerate(rows):
            seen[row["task_id"]] += 1
            place = {
                "number": number / len(rows),
                "rank": seen[row["task_id"]],
                "last": float(seen[row["task_id"]] == sizes[row["task_id"]]),
            }
            runs.append(
                {
                    **row,
                    "family": file.parent.name,
                    "place": place,
                    "label": labels[row["result_id"]],
                }
            )
    return runs


def _rows(file: Path) -> Iterator[Json]:
    for line in file.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def features_of(runs: Sequence[Json]) -> dict[str, list[Features]]:
    """For each feature group the features of every run. Amounts and times are relative to the family or the task."""
    cost = _relative(runs, "family", lambda run: math.log(run["cost"]["amount"]))
    latency = _relative(runs, "family", lambda run: math.log(run["latency_ms"]))
    day = _relative(
        runs, "task_id", lambda run: _start(run).timestamp() / SECONDS_A_DAY
    )
    return {
        "version": [_version(run) for run in runs],
        "cost": [{"log_cost": value} for value in cost],
        "latency": [{"log_latency": value} for value in latency],
        "start": [
            {
                "days": value,
                "hour": _start(run).hour + _start(run).minute / 60,
                "weekday": _start(run).weekday(),
            }
            for run, value in zip(runs, day, strict=True)
        ],
        "place": [run["place"] for run in runs],
        "result_id": [dict.fromkeys(_words(run["result_id"]), 1.0) for run in runs],
        "status": [{"status": run["status"]} for run in runs],
        "answer_length": [
            {"log_length": math.log1p(len(json.dumps(run["output"])))} for run in runs
        ],
        "steps": [_steps(run) for run in runs],
    }


def _relative(
    runs: Sequence[Json], key: str, value: Callable[[Json], float]
) -> list[float]:
    """The value of each run minus the median of its family or task."""
    groups: dict[str, list[float]] = {}
    for run in runs:
        groups.setdefault(run[key], []).append(value(run))
    return [value(run) - median(groups[run[key]]) for run in runs]


def _start(run: Json) -> datetime:
    return datetime.fromisoformat(run["started_at"])


def _version(run: Json) -> Features:
    return {
        "version": f"{run['family']} {run.get('agent_id', '')} {run['agent_version']}"
    }


def _words(result_id: str) -> list[str]:
    return result_id.replace("_", "-").split("-")


def _steps(run: Json) -> Features:
    steps = run["trace"]["steps"]
    failed = sum(step.get("status") == "error" for step in steps)
    return {"steps": len(steps), "failed": failed}


@dataclass(frozen=True, slots=True)
class Marks:
    """For each run: how often the forest and the constant were right, and the mean probability of complete."""

    found: Values
    constant: Values
    complete: Values


def marks(
    rows: Sequence[Features],
    labels: Sequence[str],
    tasks: Sequence[str],
    seeds: int,
    trees: int,
) -> Marks:
    """The marks of one feature group, each run predicted from the runs of other tasks."""
    found, constant, complete = (np.zeros(len(labels)) for _ in range(3))
    vectorizer: Any = DictVectorizer(sparse=False)
    table: Values = vectorizer.fit_transform(rows)
    truth, groups = np.array(labels), np.array(tasks)
    for seed in range(seeds):
        folds: Any = GroupKFold(FOLDS, shuffle=True, random_state=seed)
        for train, test in folds.split(table, truth, groups):
            forest: Any = RandomForestClassifier(
                trees, min_samples_leaf=3, random_state=seed
            )
            forest.fit(table[train], truth[train])
            shares = forest.predict_proba(table[test])
            found[test] += forest.classes_[shares.argmax(axis=1)] == truth[test]
            complete[test] += shares[:, list(forest.classes_).index(COMPLETE)]
            constant[test] += truth[test] == Counter(truth[train]).most_common(1)[0][0]
    return Marks(found / seeds, constant / seeds, complete / seeds)


def weights(tasks: Sequence[str], resamples: int) -> Values:
    """How often each run is in each resample, whole tasks drawn with replacement: one row for a resample."""
    names = sorted(set(tasks))
    place = np.array([names.index(task) for task in tasks])
    drawn = np.random.default_rng(0).multinomial(
        len(names), np.full(len(names), 1 / len(names)), resamples
    )
    counts: Values = drawn[:, place].astype(float)
    return counts


def gain_of(marked: Marks, drawn: Values) -> tuple[float, float, float]:
    """The gain over the constant, and its 95 % interval."""
    gains = marked.found - marked.constant
    means = drawn @ gains / drawn.sum(axis=1)
    low, high = np.quantile(means, (0.025, 0.975))
    return float(gains.mean()), float(low), float(high)


def auc_of(
    marked: Marks, labels: Sequence[str], drawn: Values
) -> tuple[float, float, float]:
    """The area under the curve for complete against the rest, and its 95 % interval; ties count half."""
    good = np.array([label == COMPLETE for label in labels])
    one, other = marked.complete[good][:, None], marked.complete[~good][None, :]
    ahead = (one > other) + 0.5 * (one == other)
    won = np.einsum("rg,gb,rb->r", drawn[:, good], ahead, drawn[:, ~good])
    areas = won / (drawn[:, good].sum(axis=1) * drawn[:, ~good].sum(axis=1))
    low, high = np.quantile(areas, (0.025, 0.975))
    return float(ahead.mean()), float(low), float(high)


def measured(
    runs: Sequence[Json], seeds: int, trees: int, only: str | None = None
) -> Json:
    """The figures of every feature group, and of all groups of a kind together; or of one group."""
    features = features_of(runs)
    labels = [run["label"] for run in runs]
    tasks = [run["task_id"] for run in runs]
    drawn = weights(tasks, RESAMPLES)
    line: Json = {"runs": len(runs), "tasks": len(set(tasks))}
    groups: dict[str, Json] = {}
    for name, kind, chosen in _sets():
        if only not in (None, name):
            continue
        rows = [
            _joined(row) for row in zip(*(features[one] for one in chosen), strict=True)
        ]
        marked = marks(rows, labels, tasks, seeds, trees)
        line["constant"] = round(float(marked.constant.mean()), 3)
        figures = (
            float(marked.found.mean()),
            *gain_of(marked, drawn),
            *auc_of(marked, labels, drawn),
        )
        named = zip(FIGURES, figures, strict=True)
        groups[name] = {"kind": kind, **{key: round(one, 3) for key, one in named}}
    return {**line, "groups": groups}


def _sets() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    for kind, names in KINDS.items():
        for name in names:
            yield name, kind, (name,)
        yield f"all {kind}", kind, names
    yield "all", "both", tuple(name for names in KINDS.values() for name in names)


def _joined(rows: Iterable[Features]) -> Features:
    return {key: value for row in rows for key, value in row.items()}


def table(line: Json) -> Iterator[str]:
    """The figures as a Markdown table."""
    yield "| features | accuracy | gain over the constant | complete or not: AUC |"
    yield "| --- | --- | --- | --- |"
    for name, row in line["groups"].items():
        gain = f"{row['gain']:+.3f} ({row['low']:+.3f} to {row['high']:+.3f})"
        area = f"{row['auc']:.3f} ({row['auc_low']:.3f} to {row['auc_high']:.3f})"
        yield f"| {name} | {row['accuracy']:.3f} | {gain} | {area} |"


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        description="The class of a run predicted from shallow features."
    )
    parser.add_argument(
        "--data",
        type=Path,
        default=ROOT / "examples" / "reference_set",
        metavar="FOLDER",
    )
    parser.add_argument(
        "--seeds", type=int, default=2, help="divisions into folds (default 2)"
    )
    parser.add_argument(
        "--trees", type=int, default=60, help="trees of a forest (default 60)"
    )
    parser.add_argument(
        "--only", metavar="GROUP", help="one feature group, such as 'all metadata'"
    )
    parser.add_argument("--table", action="store_true", help="a table, instead of JSON")
    arguments = parser.parse_args()
    runs = runs_of(arguments.data)
    if not runs:
        parser.error(f"no FAMILY/results.jsonl in {arguments.data}")
    line = measured(runs, arguments.seeds, arguments.trees, arguments.only)
    print("\n".join(table(line)) if arguments.table else json.dumps(line))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
