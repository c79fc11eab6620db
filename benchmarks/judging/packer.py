"""Does the judge see the step that decides? Long traces, one decisive step at a random place, a small budget.

    python benchmarks/judging/packer.py                   # 200 traces of 1 MB, 16k tokens: one JSON line
    python benchmarks/judging/packer.py --cases 24 --kilobytes 300

Each case is a seeded trace of a working day (support desk, travel desk, software team), full of steps that share words
with the question. The materials go through the whole way of a real question: sanitised, packed, framed. A simulated
judge answers "yes" with a quote where the decisive step is in its prompt; where it is not, it answers "no", every other
time with a quote of some other step. `wrong` counts the verdicts that a missing step turned into a grade.

The second half of the line holds the token estimate against the tokenizers that come with litellm: the lowest and the
mean ratio of estimate to truth over texts of many kinds.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import random
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judgemesh.contracts.needs import Ask, Material
from judgemesh.contracts.opinions import Vote
from judgemesh.mesh.judging.prompting.frame import Framed, frame
from judgemesh.mesh.judging.replies.parse import VerdictReading
from judgemesh.mesh.judging.replies.review import ReplyReview, details, review
from judgemesh.mesh.pricing.tokens import estimate
from judgemesh.prompts.loader import load

BUDGET = 16_000
BAR = 0.95
PROMPT = load("yes_no.v1")
Filling = dict[str, str]

NAMES = (
    "Ana Duarte",
    "Bo Lindqvist",
    "Chen Wei",
    "Dina Farouk",
    "Emil Novak",
    "Farid Haddad",
    "Grace Okafor",
)
GOODS = (
    "kettle",
    "headphones",
    "desk lamp",
    "running shoes",
    "backpack",
    "espresso grinder",
    "monitor arm",
)
CITIES = ("Lisbon", "Oslo", "Porto", "Vienna", "Tallinn", "Ghent", "Malmo", "Bergen")
FILES = (
    "billing/invoice.py",
    "api/routes.py",
    "core/cache.py",
    "web/cart.ts",
    "jobs/export.py",
    "auth/session.py",
)


@dataclass(frozen=True, slots=True)
class Kind:
    """A question and the step that settles it. `{...}` is filled alike in both."""

    name: str
    scene: str
    question: str
    step: str


DATA: dict[str, Any] = tomllib.loads(
    (Path(__file__).parent / "traces.toml").read_text(encoding="utf-8")
)
BACKGROUND = {
    scene: tuple("".join(text) for text in texts)
    for scene, texts in DATA["background"].items()
}
KINDS, UNFINDABLE = (
    tuple(Kind(**{**row, "step": "".join(row["step"])}) for row in DATA[name])
    for name in ("kinds", "unfindable")
)


def filling(draw: random.Random) -> Filling:
    secret = (
        draw.choice(("blue", "tin", "oak")),
        draw.randrange(100, 999),
        draw.choice(("heron", "lantern")),
    )
    return {
        "name": draw.choice(NAMES),
        "good": draw.choice(GOODS),
        "city": draw.choice(CITIES),
        "file": draw.choice(FILES),
        "order": f"{draw.choice('ABCD')}-{draw.randrange(10_000, 99_999)}",
        "price": f"{draw.randrange(20, 900)}.{draw.randrange(10, 99)}",
        "carrier": draw.choice(("UPS", "DHL", "PostNord")),
        "number": str(draw.randrange(3, 990)),
        "day": str(draw.randrange(4, 29)),
        "flight": f"LH{draw.randrange(100, 9999)}",
        "secret": "".join(map(str, secret)),
    }


@dataclass(frozen=True, slots=True)
class Case:
    """One trace with its question; `decisive` is the step that settles it."""

    kind: Kind
    question: str
    trace: str
    answer: str
    decisive: str


def case(seed: int, size: int, kinds: Sequence[Kind] = KINDS) -> Case:
    draw = random.Random(f"packer:{seed}")  # noqa: S311 - a simulation
    kind = kinds[seed % len(kinds)]
    values = filling(draw)
    decisive = kind.step.format(**values)
    lines: list[str] = []
    length = 0
    while length < size:
        template = draw.choice(BACKGROUND[kind.scene])
        line = template.format(**filling(draw))
        if draw.random() < 0.15:  # a long tool result, or somebody who talks at length
            more = (
                draw.choice(BACKGROUND[kind.scene]).format(**filling(draw))
                for _ in range(draw.randrange(2, 7))
            )
            line = " ".join([line, *more])
        lines.append(line)
        length += len(line) + 8
    lines.insert(draw.randrange(len(lines) + 1), decisive)
    trace = "\n".join(f"[{number}] {line}" for number, line in enumerate(lines, 1))
    answer = "Everything has been taken care of. Have a nice day!"
    return Case(kind, kind.question.format(**values), trace, answer, decisive)


def said(framed: Framed, item: Case, *, quoting: bool) -> VerdictReading:
    """The simulated judge: it finds the step if it is there, and takes its absence for a no."""
    evidence = framed.evidence
    if item.decisive in evidence:
        return VerdictReading(Vote.YES, "The record shows it.", item.decisive[:80])
    other = next(line for line in evidence.splitlines()[5:] if len(line) > 60)
    return VerdictReading(
        Vote.NO, "The record does not show it.", other[10:70] if quoting else ""
    )


def shown_to(item: Case) -> tuple[Ask, Framed]:
    materials = (Material("final_answer", item.answer), Material("trace", item.trace))
    need = Ask(question_id="q", question=item.question, materials=materials)
    return need, frame(PROMPT, materials, criterion=need.question, budget=BUDGET)


def verdict(item: Case, framed: Framed, *, quoting: bool) -> ReplyReview | None:
    """What becomes of the simulated judge's answer; None where it is not even asked."""
    if framed.coverage.missing:
        return None
    return review(
        said(framed, item, quoting=quoting),
        framed,
        question=item.question,
        prompt=PROMPT,
    )


def run(cases: int, size: int, kinds: Sequence[Kind] = KINDS) -> dict[str, Any]:
    tally: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    shares: list[float] = []
    slowest = 0.0
    for seed in range(cases):
        item = case(seed, size, kinds)
        started = time.perf_counter()
        need, framed = shown_to(item)
        slowest = max(slowest, time.perf_counter() - started)
        seen = verdict(item, framed, quoting=seed % 2 == 0)
        vote = Vote.CANNOT_ASSESS if seen is None else seen.vote
        told = framed.coverage.for_prompt()
        reported = (
            "coverage" in details(need, framed, seen, model="m")
            and told in framed.messages[1]["content"]
        )
        found = item.decisive in framed.evidence
        missed[item.kind.name] += not found
        tally += Counter(
            {
                "included": found,
                "over": framed.tokens > BUDGET,
                "reported": reported,
                vote.value: 1,
            }
        )
        shares += [
            part.shown / part.total
            for part in framed.coverage.parts
            if part.name == "trace"
        ]
    return {
        "cases": cases,
        "trace_bytes": size,
        "budget_tokens": BUDGET,
        "included": round(tally["included"] / cases, 4),
        "bar": BAR,
        "missed": dict(+missed),
        "decided": tally[Vote.YES.value],
        "abstained": tally[Vote.CANNOT_ASSESS.value],
        "wrong": tally[Vote.NO.value],
        "coverage_reported": tally["reported"],
        "over_budget": tally["over"],
        "share_of_trace_shown": round(sum(shares) / len(shares), 4),
        "slowest_s": round(slowest, 2),
    }


# --- the token estimate ---


def samples() -> dict[str, str]:
    here = Path(__file__).resolve().parents[2]
    draw = random.Random(7)  # noqa: S311 - a simulation
    return {
        **{name: text * 40 for name, text in DATA["languages"].items()},
        "prose": (here / "docs/explanation/gate-and-scores.md").read_text(
            encoding="utf-8"
        ),
        "code": (here / "mesh/grading/engine.py").read_text(encoding="utf-8"),
        "trace": case(1, 60_000).trace,
        "numbers": " ".join(str(draw.randrange(10**6)) for _ in range(2000)),
        "hex": " ".join(f"{draw.getrandbits(128):032x}" for _ in range(300)),
        "base64": base64.b64encode(draw.randbytes(9000)).decode(),
        "emoji": "\U0001f389\U0001f525\u2705\U0001f680\U0001f4a1 " * 40,
        "csv": "\n".join(
            f"{n},{draw.random():.3f},A-{n * 13},open" for n in range(1500)
        ),
    }


def tokenizers() -> dict[str, Callable[[str], Sequence[object]]]:
    """The tokenizers in litellm's package: one of byte pairs, one of a JSON file. No network."""
    import tiktoken
    from tokenizers import Tokenizer

    from judgemesh.mesh.judging.gateways.litellm import load_litellm

    folder = Path(load_litellm().__file__).parent / "litellm_core_utils" / "tokenizers"
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
    other: Any = Tokenizer.from_file(str(folder / "anthropic_tokenizer.json"))
    return {
        "cl100k": tiktoken.get_encoding("cl100k_base").encode,
        "anthropic": lambda text: other.encode(text, add_special_tokens=False).ids,
    }


def estimates() -> dict[str, Any]:
    ratios: dict[str, float] = {}
    for name, text in samples().items():
        most = max(len(tokens(text)) for tokens in tokenizers().values())
        ratios[name] = round(estimate(text) / most, 2)
    low = min(ratios, key=lambda name: ratios[name])
    mean = round(sum(ratios.values()) / len(ratios), 2)
    return {
        "lowest_ratio": ratios[low],
        "of": low,
        "mean_ratio": mean,
        "texts": len(ratios),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--kilobytes", type=int, default=1000)
    parser.add_argument(
        "--no-tokens",
        action="store_true",
        help="leave out the comparison with tokenizers",
    )
    asked = parser.parse_args()
    line = run(asked.cases, asked.kilobytes * 1000)
    hard = run(max(asked.cases // 10, 2), asked.kilobytes * 1000, UNFINDABLE)
    line["unfindable"] = {
        key: hard[key] for key in ("cases", "included", "decided", "abstained", "wrong")
    }
    if not asked.no_tokens:
        line["token_estimate"] = estimates()
    print(json.dumps(line))


if __name__ == "__main__":
    main()
