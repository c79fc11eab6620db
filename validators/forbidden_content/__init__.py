"""What must not be said: entries of `must_not_include` that are no failure codes, and `must_not_match`."""

from __future__ import annotations

from collections.abc import Collection

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.validator import Case, validator
from judgemesh.contracts.verdicts import Verdict
from judgemesh.validators.forbidden_content.entries import forbidden_entries


def _applies(contract: EvalContract) -> bool:
    return bool(contract.success_criteria.must_not_match) or any(
        True for _ in forbidden_entries(contract)
    )


def _covers(contract: EvalContract) -> Collection[FailureCode]:
    return {FailureCode.SYSTEM_PROMPT_VIOLATION} if _applies(contract) else ()


@validator(
    name="forbidden_content",
    version="1",
    takes_args=False,
    codes=(FailureCode.SYSTEM_PROMPT_VIOLATION,),
    applies=_applies,
    covers=_covers,
    pure=True,
)
def forbidden_content(case: Case) -> Verdict:
    """Nothing the contract forbids occurs in what the agent wrote: answer, outputs, citations, claims, actions.

    An entry is looked for as text (whole words, any case) and as a field: a key of the outputs with a value, or a
    labelled line with one. Texts are compared as written and as a reader sees them: without Markdown, HTML tags and
    entities, invisible characters, look-alike letters, and blanks between letters. A pattern of `must_not_match` is an
    RE2 search in both forms. The code is `SYSTEM_PROMPT_VIOLATION`, the gate code for breaking a constraint on what may
    be said; no code of the taxonomy is nearer, and the output is neither malformed nor an action.
    """
    # Looking for content is heavy to import, and most contracts forbid none.
    from judgemesh.validators.forbidden_content.check import check_forbidden

    return check_forbidden(case)
