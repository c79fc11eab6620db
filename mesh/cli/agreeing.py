"""What `judgemesh agreement` does: everybody's labels side by side, compared, shown."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.cli.choosing import chosen_run

if TYPE_CHECKING:
    from judgemesh.mesh.analysis.agreement import Canonical, Item, Review
    from judgemesh.mesh.reporting.agreement import Agreement, Kind

REFERENCE: Final = "reference"
_MOST: Final = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreeing:
    """Who is compared with whom."""

    ledger: str
    files: tuple[Path, ...] = ()
    reference: Path | None = None
    split: str | None = None
    run: str | None = None
    judges: frozenset[str] = frozenset()
    as_json: bool = False


def agree(wanted: Agreeing) -> None:
    """Print how far the reviewers agree.

    Raises:
        InputError: no such file or run, a bad row, labels of two kinds, or nobody shares an item with anybody.
        LedgerError: the ledger cannot be read.
    """
    from judgemesh.mesh.analysis.agreement import read_reference, read_reviews
    from judgemesh.mesh.cli.output import show, show_json
    from judgemesh.mesh.reporting.agreement import agreement_json, agreement_view

    if wanted.split is not None and wanted.reference is None:
        raise ConfigError(
            "--split picks items of a reference", hint="give --reference FILE"
        )
    canonical = {} if wanted.reference is None else read_reference(wanted.reference)
    if wanted.split is not None:
        canonical = _of_split(canonical, wanted)
    reviews = [review for file in wanted.files for review in read_reviews(file)]
    run_id = None
    if wanted.run is not None or not wanted.files:
        run_id, more = asyncio.run(_of_run(wanted))
        reviews += more
    found = compared(reviews, canonical, wanted, run_id)
    if wanted.as_json:
        show_json(agreement_json(found))
    else:
        show(*agreement_view(found))


def compared(
    reviews: Sequence[Review],
    canonical: Mapping[Item, Canonical],
    wanted: Agreeing,
    run_id: str | None,
) -> Agreement:
    """Everybody against everybody.

    Raises:
        ConfigError: a reviewer is called like the reference, labels are of two kinds, or nobody shares an item.
    """
    from judgemesh.mesh.analysis.agreement import one_scale
    from judgemesh.mesh.metrics.reviewers import Reviews
    from judgemesh.mesh.reporting.agreement import Agreement

    known = {review.labeler for review in reviews}
    if canonical and REFERENCE in known:
        raise ConfigError(
            "a reviewer is called `reference`, as the canonical labels are",
            hint="give another labeler",
        )
    strangers = sorted(wanted.judges - known)
    if strangers:
        raise ConfigError(
            f"nobody is called {strangers[0]!r}",
            where="--judge",
            hint=f"there is {', '.join(known)}",
        )
    used = [one for one in reviews if wanted.split is None or one.item in canonical]
    said = _table(used, canonical)
    machines = wanted.judges if run_id is None else wanted.judges | {run_id}
    kinds = _kinds(said, machines, canonical)
    scale = one_scale(
        [
            label
            for by_item in said.values()
            for label in by_item.values()
            if label is not None
        ]
    )
    items = list(dict.fromkeys(item for by_item in said.values() for item in by_item))
    lists = {name: [said[name].get(item) for item in items] for name in kinds}
    if len(lists) < 2:
        raise ConfigError(
            f"there is one reviewer only: {next(iter(lists), 'none')}",
            hint="give the labels of another, --reference or --run",
        )
    if len(lists) > _MOST:
        raise ConfigError(
            f"{len(lists)} reviewers are too many to compare each with each",
            hint=f"at most {_MOST}",
        )
    labels = Reviews(lists, seed=_seed(lists))
    names = list(lists)
    pairs = [
        (one, two)
        for at, one in enumerate(names)
        for two in names[at + 1 :]
        if labels.shared(one, two)
    ]
    if not pairs:
        raise ConfigError(f"{', '.join(names)} have labelled no item in common")
    return Agreement(
        scale=scale,
        items=items,
        kinds=kinds,
        labels=lists,
        reviews=labels,
        pairs={pair: labels.pair(*pair) for pair in pairs},
        canonical=canonical,
        split=wanted.split,
        again=len(used)
        - sum(
            len(by_item)
            for name, by_item in said.items()
            if name != REFERENCE or not canonical
        ),
    )


def _table(
    reviews: Sequence[Review], canonical: Mapping[Item, Canonical]
) -> dict[str, dict[Item, str | None]]:
    """The last label of each reviewer for each item; canonical labels only of items that somebody labelled."""
    said: dict[str, dict[Item, str | None]] = {}
    for review in reviews:
        said.setdefault(review.labeler, {})[review.item] = review.label
    if canonical:
        touched = {item for by_item in said.values() for item in by_item}
        said[REFERENCE] = {
            item: one.label for item, one in canonical.items() if item in touched
        }
    return said


def _kinds(
    said: Mapping[str, Mapping[Item, str | None]],
    machines: frozenset[str],
    canonical: object,
) -> dict[str, Kind]:
    """Machines, then people, then the reference: in a pair the second is who is more to be believed."""
    kinds: dict[str, Kind] = {name: "judge" for name in said if name in machines}
    for name in said:
        if name not in machines and not (name == REFERENCE and canonical):
            kinds[name] = "person"
    if canonical:
        kinds[REFERENCE] = "reference"
    return kinds


def _of_split(
    canonical: Mapping[Item, Canonical], wanted: Agreeing
) -> dict[Item, Canonical]:
    found = {item: one for item, one in canonical.items() if one.split == wanted.split}
    if not found:
        raise ConfigError(
            f"holds no item of the split {wanted.split}", where=str(wanted.reference)
        )
    return found


async def _of_run(wanted: Agreeing) -> tuple[str, list[Review]]:
    from judgemesh.mesh.analysis.agreement import reviews_of_run

    async with chosen_run(wanted.ledger, wanted.run) as (ledger, run):
        return run.run_id, await reviews_of_run(ledger, run.run_id)


def _seed(lists: Mapping[str, Sequence[str | None]]) -> int:
    """A seed that follows from the labels, whatever the order of the items."""
    lines = sorted(
        map(repr, zip(*(lists[name] for name in sorted(lists)), strict=True))
    )
    return int.from_bytes(hashlib.sha256("\n".join(lines).encode()).digest()[:8])
