"""Agreement of reviewers: pairs, alpha, judges beside people, confusion tables and the items that differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from judgemesh.mesh.analysis.labels.reviewer_agreement import (
    Agreement,
    Difference,
    JudgeAndPeople,
    Pair,
)
from judgemesh.mesh.metrics.reviewers import Coefficient, PairAgreement
from judgemesh.mesh.reporting.numbers import (
    interval_json,
    interval_note,
    interval_or_dash,
    interval_text,
    or_dash,
)
from judgemesh.mesh.reporting.tables import (
    add_columns,
    grid,
    plain_table,
    warnings_block,
)
from judgemesh.mesh.reporting.text import one_line, plural

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

_MAX_DIFFERENCES: Final = 20
_NAME_LIMIT: Final = 24
_PAIR_WIDTH: Final = 18


def agreement_view(agreement: Agreement) -> Iterator[RenderableType]:
    """The agreement of each pair of reviewers; then the items on which they differ."""
    from rich.text import Text

    yield _heading(agreement)
    yield Text("")
    yield _pairs_table(agreement)
    rows = [*_alphas(agreement), *_judges(agreement), *_near_misses(agreement)]
    if rows:
        yield Text("")
        yield grid(rows)
    for pair in _pairs_with_a_matrix(agreement):
        yield Text("")
        yield _matrix(pair, agreement.pairs[pair], agreement.scale)
    yield from _differences(agreement)
    yield from warnings_block(agreement.notes())


def _heading(agreement: Agreement) -> Text:
    from rich.text import Text

    reviewers: list[str] = []
    for reviewer, kind in agreement.kinds.items():
        role = ""
        if kind == "judge":
            role = " (judge)"
        reviewers.append(one_line(f"{reviewer}{role}"))
    split = f" of the split {agreement.split}" if agreement.split else ""
    return Text.assemble(
        (plural(len(agreement.items), "item"), "bold"),
        f"{split} labelled by {', '.join(reviewers)}",
    )


def _pairs_table(agreement: Agreement) -> Table:
    table = plain_table()
    table.add_column("between", overflow="fold", min_width=_PAIR_WIDTH)
    add_columns(table, "items", "agree", "chance", "kappa", "95% CI", "AC1")
    for (first, second), pair in agreement.pairs.items():
        table.add_row(
            f"{_name(first)} and {_name(second)}",
            f"{pair.items:,}",
            f"{pair.raw[0]:.1%}",
            f"{pair.chance:.1%}",
            or_dash(pair.kappa.value, ".3f"),
            interval_or_dash(pair.kappa.ci),
            or_dash(pair.ac1.value, ".3f"),
        )
    return table


def _alphas(agreement: Agreement) -> Iterator[tuple[str, str]]:
    for group, alpha in agreement.alphas().items():
        if alpha.value is not None:
            yield f"alpha of {group}", f"{alpha.value:.3f}{interval_note(alpha.ci)}"


def _judges(agreement: Agreement) -> Iterator[tuple[str, str]]:
    for judge, compared in agreement.judges_and_people().items():
        if compared.with_judge is not None and compared.among_people is not None:
            yield (
                _name(judge),
                (
                    f"kappa {compared.with_judge:.3f} with people; "
                    f"people with each other {compared.among_people:.3f}{_gap(compared)}"
                ),
            )


def _gap(compared: JudgeAndPeople) -> str:
    ci = compared.ci
    if ci is None:
        return ""
    if ci.high < 0:
        reading = "agrees less with people than they with each other"
    elif ci.low > 0:
        reading = "agrees more with people than they with each other"
    else:
        reading = "no evidence of a difference"
    return f"; difference {interval_text(ci)}: {reading}"


def _near_misses(agreement: Agreement) -> Iterator[tuple[str, str]]:
    for reviewer, misses in agreement.near_misses().items():
        yield (
            _name(reviewer),
            (
                f"{plural(misses.differences, 'label')} not the reference's, "
                f"{misses.near:,} of them the class it names as a near miss"
            ),
        )


def _pairs_with_a_matrix(agreement: Agreement) -> list[Pair]:
    """The pairs with the reference, else the only pair there is."""
    with_reference: list[Pair] = []
    for pair in agreement.pairs:
        if agreement.kinds[pair[1]] == "reference":
            with_reference.append(pair)
    if not with_reference and len(agreement.pairs) == 1:
        return list(agreement.pairs)
    return with_reference


def _matrix(pair: Pair, agreement: PairAgreement, scale: Sequence[str]) -> Table:
    """Rows are the second's labels, columns the first's; the last column is the agreement on each label."""
    first, second = pair
    used: list[str] = []
    for label in scale:
        if label in agreement.classes:
            used.append(label)
    table = plain_table(title=f"rows: {_name(second)}; columns: {_name(first)}")
    table.padding = (0, 1, 0, 0)
    table.add_column("", no_wrap=True)
    add_columns(table, *used, "agree")
    for row in used:
        cells = [f"{agreement.table.get((column, row), 0):,}" for column in used]
        specific = agreement.classes[row].specific
        table.add_row(row, *cells, or_dash(specific, ".1%"))
    return table


def _differences(agreement: Agreement) -> Iterator[RenderableType]:
    from rich.text import Text

    differences = agreement.differences()
    if not differences:
        return
    yield Text("")
    yield _differences_table(agreement, differences)
    more = len(differences) - _MAX_DIFFERENCES
    if more > 0:
        yield Text(f"and {plural(more, 'more item')} (--json lists all)", "dim")


def _differences_table(
    agreement: Agreement, differences: Sequence[Difference]
) -> Table:
    title = f"{plural(len(differences), 'item')} on which they differ"
    table = plain_table(title=title)
    table.add_column("item", overflow="fold")
    for reviewer in agreement.kinds:
        table.add_column(_name(reviewer), overflow="fold")
    with_rationale = any(map(_rationale, differences))
    if with_rationale:
        table.add_column("why")
    for difference in differences[:_MAX_DIFFERENCES]:
        cells = [difference.labels.get(reviewer, "-") for reviewer in agreement.kinds]
        if with_rationale:
            cells.append(one_line(_rationale(difference)))
        table.add_row(one_line(str(difference.item)), *cells)
    return table


def _rationale(difference: Difference) -> str:
    if difference.canonical is None:
        return ""
    return difference.canonical.rationale


def _name(reviewer: str) -> str:
    return one_line(reviewer, _NAME_LIMIT)


def agreement_json(agreement: Agreement) -> dict[str, Any]:
    """Everything the view shows, all differences, and the digits it rounds."""
    alphas = agreement.alphas()
    judges = agreement.judges_and_people()
    misses = agreement.near_misses()
    return {
        "items": len(agreement.items),
        "split": agreement.split,
        "scale": list(agreement.scale),
        "reviewers": {
            reviewer: _reviewer_json(agreement, reviewer)
            for reviewer in agreement.kinds
        },
        "pairs": [_pair_json(pair, own) for pair, own in agreement.pairs.items()],
        "alpha": {group: _coefficient(alpha) for group, alpha in alphas.items()},
        "judge_beside_people": {
            judge: _judge_json(compared) for judge, compared in judges.items()
        },
        "near_misses": {reviewer: asdict(own) for reviewer, own in misses.items()},
        "differences": [_difference_json(own) for own in agreement.differences()],
        "warnings": agreement.notes(),
    }


def _reviewer_json(agreement: Agreement, reviewer: str) -> dict[str, Any]:
    labels = agreement.labels[reviewer]
    return {
        "kind": agreement.kinds[reviewer],
        "items": sum(label is not None for label in labels),
        "labels": {label: labels.count(label) for label in agreement.scale},
    }


def _pair_json(pair: Pair, agreement: PairAgreement) -> dict[str, Any]:
    classes = {
        label: {
            "one": own.first,
            "two": own.second,
            "both": own.both,
            "agreement": own.specific,
        }
        for label, own in agreement.classes.items()
    }
    confusion = [
        {"one": first, "two": second, "items": count}
        for (first, second), count in agreement.table.items()
    ]
    return {
        "one": pair[0],
        "two": pair[1],
        "items": agreement.items,
        "agreed": agreement.agreed,
        "agreement": agreement.raw[0],
        "agreement_ci": interval_json(agreement.raw[1]),
        "chance_agreement": agreement.chance,
        "constant_agreement": agreement.constant,
        "kappa": _coefficient(agreement.kappa),
        "ac1": _coefficient(agreement.ac1),
        "classes": classes,
        "confusion": confusion,
    }


def _judge_json(compared: JudgeAndPeople) -> dict[str, Any]:
    return {
        "kappa_with_people": compared.with_judge,
        "kappa_among_people": compared.among_people,
        "difference_ci": interval_json(compared.ci),
        "why_not": compared.why_not or None,
    }


def _difference_json(difference: Difference) -> dict[str, Any]:
    canonical = difference.canonical
    return {
        "result_id": difference.item.result_id,
        "question_id": difference.item.question_id,
        "labels": dict(difference.labels),
        "reference": canonical and asdict(canonical),
    }


def _coefficient(coefficient: Coefficient) -> dict[str, Any]:
    return {
        "value": coefficient.value,
        "ci": interval_json(coefficient.ci),
        "why_not": coefficient.why_not or None,
    }
