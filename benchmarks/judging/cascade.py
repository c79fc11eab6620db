"""Certified thresholds: does the promise hold, how much do they cover, and what does the cascade cost?

    python benchmarks/judging/cascade.py [--data FOLDER]

prints one JSON line:

    single     thresholds for one judge, certified on 200 simulated labels (alpha .1, delta .05), 400 seeds: the share
               of seeds in which more than alpha of what it settles is wrong (bar: delta), mean coverage, the coverage
               when the sequence starts with the surest tenth instead of the surest half, and `naive`: the share of
               broken promises when the lowest threshold that looks good on the labels is taken
    cascade    the same promise for two judges and one certificate (bar: delta)
    judges     the promise for two real judges over simulated models, as a run with `--escalate-audit` certifies them:
               labels drawn at random from a small world whose every item both judges were asked, so that what is wrong
               of what they settle is known exactly. `tight`: alpha is a little below what is wrong of everything, so
               that every certificate is a broken promise (bar: delta). `certified`: how often there is one at an alpha
               that can be kept
    missing    labels that 40 right ones still lack, and the least number that certifies (bar: 59)
    recorded   with recorded answers of three judges: agreement and coverage, and the cost as a share of asking the
               strong judge everywhere (bars: .80, .80, .25); null where FOLDER has none

The cascade on recorded answers asks the judges in the order of the file. A stage's answer is the mean probability of
the judges asked so far, and the next judge is asked only while its answer could still settle the item. Thresholds are
certified (alpha .2, delta .1) on 4/5 of the items and used on the rest, 200 splits. `--costs` are prices of one call in
units of the strong judge's, one a judge; as published in 2024 for models of these sizes by default.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any

import anyio

from judgemesh.contracts.attempts import CallContext, JudgeAttempt
from judgemesh.contracts.gateway import ModelCall
from judgemesh.contracts.needs import Ask, Judged, Material
from judgemesh.contracts.opinions import Vote
from judgemesh.contracts.voting import LEAD
from judgemesh.mesh.calibration.pairs import (
    DrawnQuestion,
    compare_pairs,
    drawn_question,
)
from judgemesh.mesh.calibration.thresholds import (
    Cascade,
    JudgedItem,
    NotCertified,
    Threshold,
    certify,
    certify_cascade,
    labels_needed,
    settle,
)
from judgemesh.mesh.judging.confidence.pairs import Pair
from judgemesh.mesh.judging.ensembles.escalation import EscalatingJudge
from judgemesh.mesh.judging.voting.judge import VotingJudge
from judgemesh.mesh.testing import ScriptedJudge

ROOT = Path(__file__).resolve().parents[2]
RECORDED = ROOT.parent / "shared" / "data" / "judge_votes"

LABELS = 200
ALPHA, DELTA = 0.1, 0.05
FROM_THE_TOP = tuple(step / 10 for step in range(1, 11))
COSTS = (0.02, 0.05, 1.0)
SPLITS = 200
SECOND = 2


# --- simulated judges: confidence is uniform on .5..1, and a verdict is right a little less often than it claims ---


def said(draw: random.Random, *, skill: float, load: float = 0.0) -> JudgedItem:
    """One verdict; `load` makes the item harder for every judge."""
    confidence = 0.5 + draw.random() / 2
    return confidence, draw.random() < chance_right(confidence, skill) - load


def chance_right(confidence: float, skill: float) -> float:
    """How often a verdict of that confidence is right: rises with confidence, flattens out at `skill`."""
    return min(skill, 0.7 + 0.8 * (confidence - 0.5))


def true_risk(threshold: float, skill: float, steps: int = 2000) -> float:
    """How often verdicts of at least that confidence are wrong."""
    points = [
        threshold + (1.0 - threshold) * (step + 0.5) / steps for step in range(steps)
    ]
    return 1.0 - sum(chance_right(point, skill) for point in points) / steps


def single(seeds: int, seed: int) -> dict[str, Any]:
    """Figures of one judge."""
    skill = 0.98
    broken = naive_broken = naive_made = 0
    coverage = from_top = 0.0
    for number in range(seeds):
        draw = random.Random(f"{seed}:single:{number}")  # noqa: S311 - a simulation
        pairs = [said(draw, skill=skill) for _ in range(LABELS)]
        found = certify(pairs, alpha=ALPHA, delta=DELTA)
        if isinstance(found, Threshold):
            coverage += 2 * (1.0 - found.threshold)
            broken += true_risk(found.threshold, skill) > ALPHA
        top = certify(pairs, alpha=ALPHA, delta=DELTA, coverages=FROM_THE_TOP)
        from_top += 2 * (1.0 - top.threshold) if isinstance(top, Threshold) else 0.0
        naive = naive_threshold(pairs)
        if naive is not None:
            naive_made += 1
            naive_broken += true_risk(naive, skill) > ALPHA
    return {
        "labels": LABELS,
        "violations": round(broken / seeds, 4),
        "bar": DELTA,
        "coverage": round(coverage / seeds, 3),
        "coverage_from_top": round(from_top / seeds, 3),
        "naive": round(naive_broken / max(1, naive_made), 3),
    }


def naive_threshold(pairs: list[JudgedItem]) -> float | None:
    """The lowest confidence above which the labels look good enough."""
    ordered = sorted(pairs, reverse=True)
    errors = list(accumulate(not right for _, right in ordered))
    good = [
        number
        for number, wrong in enumerate(errors, start=1)
        if wrong <= ALPHA * number
    ]
    return ordered[good[-1] - 1][0] if good else None


def cascade(seeds: int, seed: int, *, fresh: int) -> dict[str, Any]:
    """Two judges that find the same items hard; the promise is checked on fresh items."""
    broken = 0
    coverage = 0.0
    for number in range(seeds):
        draw = random.Random(f"{seed}:cascade:{number}")  # noqa: S311 - a simulation
        items = [pair_of(draw) for _ in range(LABELS)]
        found = certify_cascade(
            [[item[stage] for item in items] for stage in (0, 1)],
            alpha=ALPHA,
            delta=DELTA,
        )
        if isinstance(found, NotCertified):
            continue
        settled = [
            right
            for _ in range(fresh)
            if (right := settle(pair_of(draw), found.thresholds)) is not None
        ]
        coverage += len(settled) / fresh
        broken += settled.count(False) > ALPHA * len(settled)
    return {
        "violations": round(broken / seeds, 4),
        "bar": DELTA,
        "coverage": round(coverage / seeds, 3),
    }


def pair_of(draw: random.Random) -> list[JudgedItem]:
    """What the small and the strong judge say of one item."""
    load = 0.04 if draw.random() < 0.3 else 0.0
    return [said(draw, skill=0.95, load=load), said(draw, skill=0.98, load=load)]


# --- two judges as a run has them ---

WORLD = 300
TIGHT, KEPT = 0.1, 0.2
"""About .11 of what the two settle of this world is wrong."""


def coin(name: str) -> float:
    """A number in [0, 1) that follows from the name alone."""
    return random.Random(name).random()  # noqa: S311 - a simulation


def truth_of(number: int) -> bool:
    """What is true of an item."""
    return coin(f"truth{number}") < 0.5


def vote(call: ModelCall) -> str:
    """Items are easy, hard or misleading; the strong judge is misled less often. Votes differ, errors are shared."""
    number = int(call.messages[-1]["content"].partition("Item ")[2].partition(".")[0])
    kind = coin(f"kind{number}")
    misled = 0.15 if call.model.endswith("nano") else 0.6
    right = 0.97 if kind < 0.6 else 0.65 if kind < 0.9 else misled
    return (
        "yes"
        if (coin(f"{call.model}{number}.{call.sample_index}") < right)
        == truth_of(number)
        else "no"
    )


async def world() -> list[DrawnQuestion | None]:
    """Every item, both judges asked."""

    async def record(_attempt: JudgeAttempt) -> None:
        """Nobody reads these."""

    pair = EscalatingJudge(
        VotingJudge(ScriptedJudge(vote), model="openai/gpt-4.1-nano"),
        VotingJudge(
            ScriptedJudge(vote),
            model="anthropic/claude-sonnet-4-5",
            votes=LEAD.strong(),
        ),
        audit=1.0,
    )
    context = CallContext(validator_name="criteria", record=record)
    rows: list[DrawnQuestion | None] = []
    for number in range(WORLD):
        part = Material("final_answer", f"Item {number}.")
        need = Ask(question_id="q", question="Is it so?", materials=(part,))
        (answer,) = await pair.ask_many([need], context)
        opinion = answer.opinion if isinstance(answer, Judged) else None
        rows.append(None if opinion is None else drawn_question("r", opinion))
    return rows


def certificate(
    rows: Sequence[DrawnQuestion | None], numbers: Sequence[int], alpha: float
) -> Pair | None:
    """What these labels certify; an item may come several times."""
    chosen = [
        (f"{at}", rows[number], truth_of(number)) for at, number in enumerate(numbers)
    ]
    named = [replace(row, result_id=name) for name, row, _ in chosen if row is not None]
    truth = {(name, "q"): label for name, _, label in chosen}
    (found,) = compare_pairs(named, truth, labels={}, alpha=alpha, delta=DELTA)
    return found.certified if isinstance(found.certified, Pair) else None


def risk(pair: Pair, rows: Sequence[DrawnQuestion | None]) -> float:
    """How often what the pair settles is wrong, over the whole world."""
    settled: list[bool] = []
    for number, row in enumerate(rows):
        for stage, opinion in enumerate(row.opinions if row is not None else ()):
            if pair.settles(stage, opinion):
                settled.append((opinion.verdict is Vote.YES) == truth_of(number))
                break
    return settled.count(False) / max(1, len(settled))


def judges(draws: int, seed: int) -> dict[str, Any]:
    """The promise of two judges, kept or broken."""
    rows = anyio.run(world)
    found: dict[float, tuple[int, int]] = {}
    for alpha in (TIGHT, KEPT):
        draw = random.Random(f"{seed}:judges")  # noqa: S311 - a simulation
        pairs = [
            certificate(rows, [draw.randrange(WORLD) for _ in range(LABELS)], alpha)
            for _ in range(draws)
        ]
        risks = {
            pair.thresholds: risk(pair, rows) for pair in pairs if pair is not None
        }
        made = [pair.thresholds for pair in pairs if pair is not None]
        found[alpha] = (
            len(made),
            sum(risks[thresholds] > alpha for thresholds in made),
        )
    return {
        "labels": LABELS,
        "draws": draws,
        "violations": round(max(broken for _, broken in found.values()) / draws, 4),
        "tight": {
            "alpha": TIGHT,
            "certified": found[TIGHT][0] / draws,
            "violations": found[TIGHT][1] / draws,
        },
        "certified": {
            "alpha": KEPT,
            "share": found[KEPT][0] / draws,
            "violations": found[KEPT][1] / draws,
        },
        "bar": DELTA,
    }


# --- recorded judges ---


def recorded(folder: Path, costs: tuple[float, ...]) -> dict[str, Any] | None:
    """Figures of the first file with probabilities of as many judges as there are costs."""
    for path in sorted(folder.glob("*.jsonl")):
        items = read(path, len(costs))
        if items:
            return {"file": path.name, "items": len(items), **splits(items, costs)}
    return None


def read(path: Path, judges: int) -> list[tuple[list[float], bool]]:
    """Probabilities in the order of the file, and the label."""
    items: list[tuple[list[float], bool]] = []
    with path.open(encoding="utf-8", errors="replace") as lines:
        for line in filter(str.strip, lines):
            try:
                row = json.loads(line)
                given, human = list(row["p_output2"].values()), row["human"]
            except (ValueError, KeyError, TypeError, AttributeError):
                continue
            if (
                len(given) == judges
                and human in (1, 2)
                and all(isinstance(p, int | float) for p in given)
            ):
                items.append(([float(p) for p in given], human == SECOND))
    return items


def splits(
    items: list[tuple[list[float], bool]], costs: tuple[float, ...]
) -> dict[str, Any]:
    """Mean agreement, coverage and cost on the held-out fifth."""
    draw = random.Random(0)  # noqa: S311 - a shuffle
    agreement: list[float] = []
    covered = cost = 0.0
    for _ in range(SPLITS):
        order = draw.sample(items, len(items))
        cut = int(0.8 * len(order))
        told = [answers(given, label) for given, label in order[:cut]]
        found = certify_cascade(
            [[one[stage] for one in told] for stage in range(len(costs))],
            alpha=0.2,
            delta=0.1,
        )
        tested = [ask(found, given, label, costs) for given, label in order[cut:]]
        settled = [right for right, _ in tested if right is not None]
        covered += len(settled) / len(tested)
        cost += sum(spent for _, spent in tested) / len(tested)
        agreement += [settled.count(True) / len(settled)] if settled else []
    return {
        "agreement": round(sum(agreement) / max(1, len(agreement)), 4),
        "bar_agreement": 0.8,
        "coverage": round(covered / SPLITS, 4),
        "bar_coverage": 0.8,
        "cost_share": round(cost / SPLITS / costs[-1], 4),
        "bar_cost_share": 0.25,
        "splits": SPLITS,
    }


def means(given: list[float]) -> list[float]:
    """The mean of the first, of the first two, ..."""
    return [total / number for number, total in enumerate(accumulate(given), start=1)]


def answers(given: list[float], label: bool) -> list[JudgedItem]:  # noqa: FBT001 - a value of the data
    """What each stage says."""
    return [(max(mean, 1.0 - mean), (mean > 0.5) == label) for mean in means(given)]


def ask(
    found: Cascade | NotCertified,
    given: list[float],
    label: bool,  # noqa: FBT001 - as above
    costs: tuple[float, ...],
) -> tuple[bool | None, float]:
    """Whether the cascade settles the item rightly (None: a person must), and what it spent."""
    spent = 0.0
    if isinstance(found, NotCertified):
        return None, sum(costs)
    for stage, (confidence, right) in enumerate(answers(given, label)):
        spent += costs[stage]
        if confidence >= found.thresholds[stage]:
            return right, spent
        later = range(stage + 1, len(costs))
        if not any(
            best_case(confidence, stage + 1, last + 1) >= found.thresholds[last]
            for last in later
        ):
            break
    return None, spent


def best_case(confidence: float, asked: int, total: int) -> float:
    """The mean's confidence if every judge from here on were certain, for the same side or for the other."""
    rest = total - asked
    return max((confidence * asked + rest) / total, 1.0 - confidence * asked / total)


def main() -> int:
    """Run the benchmark; exit code 1 when a bar is missed."""
    parser = argparse.ArgumentParser(
        description="Certified thresholds: promise, coverage, cost."
    )
    parser.add_argument("--data", type=Path, default=RECORDED, metavar="FOLDER")
    parser.add_argument(
        "--costs", type=float, nargs="+", default=list(COSTS), metavar="C"
    )
    parser.add_argument("--seeds", type=int, default=400, metavar="N")
    parser.add_argument(
        "--fresh",
        type=int,
        default=4000,
        metavar="N",
        help="fresh items a seed, for the cascade",
    )
    parser.add_argument(
        "--draws",
        type=int,
        default=400,
        metavar="N",
        help="label sets drawn for the two judges",
    )
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    one, two = (
        single(given.seeds, given.seed),
        cascade(given.seeds, given.seed, fresh=given.fresh),
    )
    three = judges(given.draws, given.seed)
    lacking = certify([(0.9, True)] * 40)
    short = lacking.missing if isinstance(lacking, NotCertified) else None
    missing = {"of_40": short, "least": labels_needed(), "bar": 59}
    public = recorded(given.data, tuple(given.costs))
    if public is None:
        print(
            f"{given.data}: no recorded probabilities of {len(given.costs)} judges",
            file=sys.stderr,
        )
    ok = (
        all(found["violations"] <= DELTA for found in (one, two, three))
        and missing["least"] == missing["bar"]
    )
    ok = ok and (public is None or meets(public))
    found = {
        "single": one,
        "cascade": two,
        "judges": three,
        "missing": missing,
        "recorded": public,
    }
    print(json.dumps({**found, "ok": ok}))
    return 0 if ok else 1


def meets(public: dict[str, Any]) -> bool:
    """Whether the three bars on recorded answers are met."""
    good = all(
        public[name] >= public[f"bar_{name}"] for name in ("agreement", "coverage")
    )
    return bool(good and public["cost_share"] <= public["bar_cost_share"])


if __name__ == "__main__":
    raise SystemExit(main())
