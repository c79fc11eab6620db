"""The path of a citation: read from the answer, looked up, compared, judged."""

from __future__ import annotations

from itertools import starmap

from judgemesh.contracts.validator import Case, Judgement
from judgemesh.contracts.verdicts import Pass, not_configured
from judgemesh.validators.citations.cited import Cited, Standing
from judgemesh.validators.citations.levels import findings_of
from judgemesh.validators.citations.lookups import Inquiry, is_citation, look_up
from judgemesh.validators.citations.reading import citations_of
from judgemesh.validators.citations.verdicts import (
    citation_verdict,
    excess_verdict,
    missing_verdicts,
)


def check_citations(case: Case) -> Judgement:
    """One verdict for each citation of the answer."""
    spec = case.contract.evidence
    if spec is None:
        return [not_configured("citations", "the contract has no section `evidence`")]
    cited = citations_of(case.result.output, text=spec.text)
    inquiries = list(starmap(Inquiry, enumerate(cited.checked)))
    marks = list(starmap(_of_mark, enumerate(cited.dangling, start=len(inquiries))))
    if spec.sources and "exists" in spec.levels:
        yield from look_up([*inquiries, *marks], spec)
    inquiries = [inquiry for inquiry in inquiries if is_citation(inquiry)]
    inquiries += [mark for mark in marks if mark.is_found]
    dangling = [mark.cited.mark for mark in marks if not mark.is_found]
    verdicts = list(missing_verdicts(inquiries, dangling, cited, spec))
    for inquiry in inquiries:
        findings = findings_of(inquiry, spec)
        verdicts.append(citation_verdict(inquiry.cited, findings, spec))
    if cited.excess:
        verdicts.append(excess_verdict(cited.excess))
    return verdicts or [_NO_CITATIONS]


def _of_mark(number: int, mark: str) -> Inquiry:
    """A reference that leads to no citation of the answer: it may be the name that a source has for an item."""
    cited = Cited(
        ref="final_answer",
        names=(mark.strip("[]()"),),
        mark=mark,
        standing=Standing.NAMED,
    )
    return Inquiry(number, cited)


_NO_CITATIONS = Pass(
    check="citations", diagnostic="no citation is required, and none given"
)
