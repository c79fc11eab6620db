"""The entries of a contract that name forbidden content."""

from __future__ import annotations

from collections.abc import Iterator

from judgemesh.contracts.codes import parse_code
from judgemesh.contracts.contract import EvalContract
from judgemesh.validators._shared.text import plain


def forbidden_entries(contract: EvalContract) -> Iterator[tuple[str, bool]]:
    """Entries of `must_not_include` that are no failure codes, each with whether it is about actions too."""
    criteria = contract.success_criteria
    entries = dict.fromkeys(criteria.must_not_include, False)
    entries |= dict.fromkeys(criteria.execution_result.must_not_include, True)
    for entry, in_actions in entries.items():
        if plain(entry).strip() and parse_code(entry) is None:
            yield entry, in_actions
