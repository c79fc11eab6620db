"""Agreement of reviewers for people and for machines: pairs, alpha, judge beside people, confusion, what differs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

from judgemesh.mesh.analysis.agreement import Agreement, Difference, JudgeGap, Pair
from judgemesh.mesh.metrics.intervals import Interval
from judgemesh.mesh.metrics.reviewers import Coefficient, PairAgreement
from judgemesh.mesh.reporting.tables import grid, plain_table
from judgemesh.mesh.reporting.text import one_line, plural

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table


_SHOWN: Final = 20
_ONE_SIDED: Final = 10
_NAME: Final = 24
_LEAST: Final = 18


def notes(agreement: Agreement) -> list[str]:
    """What to know before believing a number."""
    return [*_refused(agreement), *_constants(agreement), *_rest(agreement)]


def _refused(agreement: Agreement) -> Iterator[str]:
    for (first, second), pair in agreement.pairs.items():
        if pair.kappa.why_not:
            yield f"{first} and {second}: {pair.kappa.why_not}"
    for group, alpha in agreement.alphas().items():
        if alpha.value is None and len(agreement.of("person")) > 1:
            yield f"alpha of {group}: {alpha.why_not}"
    for judge, gap in agreement.gaps().items():
        if gap.why_not:
            yield f"{judge} beside people: {gap.why_not}"


def _constants(agreement: Agreement) -> Iterator[str]:
    """Reviewers who always give the same label, and pairs no better than that."""
    for (first, second), pair in agreement.pairs.items():
        if pair.items < _ONE_SIDED:
            continue
        first_labels = {label for label, _ in pair.table}
        second_labels = {label for _, label in pair.table}
        if len(pair.classes) > 1 and len(first_labels) == 1:
            yield f"{first} says {first_labels.pop()} to everything that {second} labelled"
        if len(pair.classes) > 1 and len(second_labels) == 1:
            yield f"{second} says {second_labels.pop()} to everything that {first} labelled"
        if pair.raw[0] <= pair.constant < 1:
            commonest = max(pair.classes, key=lambda name: pair.classes[name].second)
            yield (
                f"{first} agrees with {second} on {pair.raw[0]:.1%}; always saying "
                f"{commonest} would agree on {pair.constant:.1%}"
            )


def _rest(agreement: Agreement) -> Iterator[str]:
    apart: list[str] = []
    for first, second in combinations(agreement.labels, 2):
        if (first, second) not in agreement.pairs:
            apart.append(f"{first} and {second}")
    if apart:
        yield f"no item in common: {', '.join(apart)}"
    for name, labels in agreement.labels.items():
        left = sum(label is None for label in labels)
        if left and agreement.kinds[name] == "judge":
            items = plural(len(labels), "item")
            yield f"{name} left {left:,} of {items} undecided or unlabelled"
    if agreement.canonical:
        missing = [item for item in agreement.items if item not in agreement.canonical]
        if missing:
            items = plural(len(missing), "item")
            yield f"{items} not in the reference, such as {missing[0]}"
    if agreement.replaced:
        labels_ = plural(agreement.replaced, "label")
        yield f"{labels_} replaced by a later one of the same reviewer"


def agreement_view(found: Agreement) -> Iterator[RenderableType]:
    """Who agrees with whom first; then where they do not."""
    from rich.text import Text

    people = ", ".join(
        one_line(f"{name} (judge)" if kind == "judge" else name)
        for name, kind in found.kinds.items()
    )
    split = f" of the split {found.split}" if found.split else ""
    yield Text.assemble(
        (plural(len(found.items), "item"), "bold"), f"{split} labelled by {people}"
    )
    yield Text("")
    yield _pairs_table(found)
    rows = [*_facts(found), *_near(found)]
    if rows:
        yield Text("")
        yield grid(rows)
    for pair in _matrices(found):
        yield Text("")
        yield _matrix(pair, found.pairs[pair], found.scale)
    differences = found.differences()
    if differences:
        yield Text("")
        yield _differences_table(found, differences)
        if len(differences) > _SHOWN:
            yield Text(
                f"and {plural(len(differences) - _SHOWN, 'more item')} (--json lists all)",
                "dim",
            )
    warning_lines = notes(found)
    if warning_lines:
        yield Text("")
        yield Text(
            "\n".join(f"warning: {one_line(note)}" for note in warning_lines), "yellow"
        )


def _pairs_table(found: Agreement) -> Table:
    table = plain_table()
    table.add_column("between", overflow="fold", min_width=_LEAST)
    for name in ("items", "agree", "chance", "kappa", "95% CI", "AC1"):
        table.add_column(name, justify="right", no_wrap=True)
    for (one, two), pair in found.pairs.items():
        kappa, interval = _cells(pair.kappa)
        table.add_row(
            f"{one_line(one, _NAME)} and {one_line(two, _NAME)}",
            f"{pair.items:,}",
            f"{pair.raw[0]:.1%}",
            f"{pair.chance:.1%}",
            kappa,
            interval,
            _cells(pair.ac1)[0],
        )
    return table


def _cells(one: Coefficient) -> tuple[str, str]:
    value = "-" if one.value is None else f"{one.value:.3f}"
    return value, "-" if one.ci is None else f"{one.ci.low:.3f} to {one.ci.high:.3f}"


def _facts(found: Agreement) -> Iterator[tuple[str, str]]:
    for who, alpha in found.alphas().items():
        if alpha.value is not None:
            yield (
                f"alpha of {who}",
                f"{alpha.value:.3f}"
                + (f"  (95% CI {_span(alpha.ci)})" if alpha.ci else ""),
            )
    for judge, one in found.gaps().items():
        if one.with_judge is not None and one.among_people is not None:
            line = f"kappa {one.with_judge:.3f} with people; people with each other {one.among_people:.3f}"
            yield one_line(judge, _NAME), f"{line}{_read(one)}"


def _near(found: Agreement) -> Iterator[tuple[str, str]]:
    for name, (wrong, near) in found.near_misses().items():
        line = f"{plural(wrong, 'label')} not the reference's, {near:,} of them the class it names as a near miss"
        yield one_line(name, _NAME), line


def _read(one: JudgeGap) -> str:
    if one.ci is None:
        return ""
    words = (
        "agrees less with people than they with each other"
        if one.ci.high < 0
        else "agrees more with people than they with each other"
        if one.ci.low > 0
        else "no evidence of a difference"
    )
    return f"; difference {_span(one.ci)}: {words}"


def _span(interval: Interval) -> str:
    return f"{interval.low:.3f} to {interval.high:.3f}"


def _matrices(found: Agreement) -> list[Pair]:
    """The pairs worth a table of their own: everybody against the reference, else the only pair there is."""
    against = [pair for pair in found.pairs if found.kinds[pair[1]] == "reference"]
    return against or (list(found.pairs) if len(found.pairs) == 1 else [])


def _matrix(pair: Pair, agreement: PairAgreement, scale: Sequence[str]) -> Table:
    """Rows are the second's labels, columns the first's; the last columns say how far they agree on each."""
    one, two = (one_line(name, _NAME) for name in pair)
    used = [name for name in scale if name in agreement.classes]
    table = plain_table(title=f"rows: {two}; columns: {one}")
    table.padding = (0, 1, 0, 0)
    table.add_column("", no_wrap=True)
    for name in used:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("agree", justify="right", no_wrap=True)
    for row in used:
        specific = agreement.classes[row].specific
        table.add_row(
            row,
            *(f"{agreement.table.get((column, row), 0):,}" for column in used),
            "-" if specific is None else f"{specific:.1%}",
        )
    return table


def _differences_table(found: Agreement, differences: Sequence[Difference]) -> Table:
    table = plain_table(
        title=f"{plural(len(differences), 'item')} on which they differ"
    )
    table.add_column("item", overflow="fold")
    for name in found.kinds:
        table.add_column(one_line(name, _NAME), overflow="fold")
    why = any(one.canonical and one.canonical.rationale for one in differences)
    if why:
        table.add_column("why")
    for one in differences[:_SHOWN]:
        rationale = one_line(one.canonical.rationale) if one.canonical else ""
        table.add_row(
            one_line(str(one.item)),
            *(one.labels.get(name, "-") for name in found.kinds),
            *([rationale] if why else []),
        )
    return table


def agreement_json(found: Agreement) -> dict[str, Any]:
    """Everything the view shows, all differences, and the digits it rounds."""
    return {
        "items": len(found.items),
        "split": found.split,
        "scale": list(found.scale),
        "reviewers": {
            name: {
                "kind": kind,
                "items": sum(label is not None for label in found.labels[name]),
                "labels": {one: found.labels[name].count(one) for one in found.scale},
            }
            for name, kind in found.kinds.items()
        },
        "pairs": [_pair_json(pair, one) for pair, one in found.pairs.items()],
        "alpha": {who: _coefficient(one) for who, one in found.alphas().items()},
        "judge_beside_people": {
            judge: {
                "kappa_with_people": one.with_judge,
                "kappa_among_people": one.among_people,
                "difference_ci": _interval(one.ci),
                "why_not": one.why_not or None,
            }
            for judge, one in found.gaps().items()
        },
        "near_misses": {
            name: {"differences": wrong, "near": near}
            for name, (wrong, near) in found.near_misses().items()
        },
        "differences": [
            {
                "result_id": one.item.result_id,
                "question_id": one.item.question_id,
                "labels": dict(one.labels),
                "reference": None if one.canonical is None else asdict(one.canonical),
            }
            for one in found.differences()
        ],
        "warnings": notes(found),
    }


def _pair_json(pair: Pair, one: PairAgreement) -> dict[str, Any]:
    return {
        "one": pair[0],
        "two": pair[1],
        "items": one.items,
        "agreed": one.agreed,
        "agreement": one.raw[0],
        "agreement_ci": _interval(one.raw[1]),
        "chance_agreement": one.chance,
        "constant_agreement": one.constant,
        "kappa": _coefficient(one.kappa),
        "ac1": _coefficient(one.ac1),
        "classes": {
            name: {
                "one": cls.first,
                "two": cls.second,
                "both": cls.both,
                "agreement": cls.specific,
            }
            for name, cls in one.classes.items()
        },
        "confusion": [
            {"one": a, "two": b, "items": count} for (a, b), count in one.table.items()
        ],
    }


def _coefficient(one: Coefficient) -> dict[str, Any]:
    return {"value": one.value, "ci": _interval(one.ci), "why_not": one.why_not or None}


def _interval(interval: Interval | None) -> dict[str, Any] | None:
    if interval is None:
        return None
    return {
        "low": interval.low,
        "high": interval.high,
        "level": interval.level,
        "method": interval.method,
    }
