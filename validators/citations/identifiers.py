"""Identifiers in running text: DOI, arXiv id, PMID, NCT number, ISBN, address."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from operator import itemgetter
from typing import Final

from judgemesh.contracts.identifiers import identify, normal, trim
from judgemesh.validators._shared.text import blank, line_number
from judgemesh.validators.citations.cited import MAX_CITATIONS, Cited, Standing

_URL = re.compile(r"https?://[^\s\"<>{}|\\^`\u201c\u201d]{1,2000}", re.IGNORECASE)
_DOI = re.compile(
    r"(?<![\w./])(?:doi\s*:\s*)?10\.[0-9]{4,9}/[^\s\"<>{}|\\^`]{1,300}", re.IGNORECASE
)
_ARXIV = re.compile(
    r"\barxiv\s?:\s?([a-z-]{2,16}(?:\.[a-z]{2})?/[0-9]{7}(?:v[0-9]{1,2})?|[0-9]{4}\.[0-9]{3,6}(?:v[0-9]{1,2})?)",
    re.IGNORECASE,
)
_PMID = re.compile(r"\bPMID\s?:?\s?([0-9]{1,12})\b", re.IGNORECASE)
_NCT = re.compile(r"\b(NCT\s?[0-9]{4,12})\b", re.IGNORECASE)
_ISBN = re.compile(
    r"\bISBN(?:-1[03])?\s?:?\s?([0-9][0-9Xx \u2010-\u2013-]{8,20}[0-9Xx])",
    re.IGNORECASE,
)
_SERVICE_CHARS: Final = 90
_GO_TO = re.compile(
    r"\b(?:log ?in|log on|sign ?in|sign up|log back in|register|visit|go to|head to|click|tap|open|reset"
    r"|contact|reach|chat|pay|book"
    r"|order|apply|submit|upload|download|track|manage|check your|access|portal|dashboard|account|subscribe"
    r"|unsubscribe|website"
    r"|support|help cent(?:re|er)|form|app|available at|link|join|schedule|rsvp|view|preview|deployed|running"
    r"|hosted|live|server"
    r"|endpoint|webhook|url|homepage|site|call|email|write to|cancel|renew|update|change|start|enrol|enroll|buy|here)\b"
    r"[^.!?\n]{0,50}$",
    re.IGNORECASE,
)
_CITES = re.compile(
    r"\b(?:sources?|see|according to|cited|cf|reference|ref|reported|published|study|paper|report|article"
    r"|evidence|states?|says"
    r"|per|as stated|documented|based on|from|via)\b[^.!?\n]{0,40}$",
    re.IGNORECASE,
)
_NAMES_SOURCE = re.compile(
    r"\b(?:sources?|according to|cited|references?)\b[^.!?\n]{0,30}$", re.IGNORECASE
)
_SERVICE_PATH = re.compile(
    r"/(?:log-?in|sign-?in|sign-?up|register|account|accounts|checkout|cart|reset|password|portal|contact|support|help-?desk"
    r"|unsubscribe|pay|payment|payments|my|dashboard|auth|sso|form|forms|book|booking|track|tracking)(?:[/?#.]|$)"
    r"|//(?:login|accounts?|auth|sso|pay|my|portal|app|support|help|track|localhost|127\.0\.0\.1)[.:/]",
    re.IGNORECASE,
)
_PATTERNS: Final = (
    ("url", _URL, "http"),
    ("doi", _DOI, "10."),
    ("arxiv", _ARXIV, "arxiv"),
    ("pmid", _PMID, "pmid"),
    ("nct", _NCT, "nct"),
    ("isbn", _ISBN, "isbn"),
)
"""Scheme, pattern, and letters that a text must contain for the pattern to match."""


def identifiers_in(text: str) -> Iterator[tuple[int, int, Cited]]:
    """The identifiers of a text in order: where each is, and the citation that it is.

    One inside another (a DOI in an address) counts once.
    """
    folded = text.casefold()
    unread = text
    located: list[tuple[int, int, Cited]] = []
    for scheme, pattern, letters in _PATTERNS:
        if letters not in folded:
            continue
        # One more than the limit, so that the caller sees that there are more.
        room = MAX_CITATIONS + 1 - len(located)
        matches = list(islice(pattern.finditer(unread), room))
        located += [(*match.span(), _cited(scheme, match, text)) for match in matches]
        if matches:
            unread = pattern.sub(blank, unread)
    located.sort(key=itemgetter(0))
    yield from located


def _is_no_evidence(text: str, match: re.Match[str], url: str) -> bool:
    """Whether an address is one to go to, not one that something is known from: a login page, a form, a shop."""
    before = text[max(0, match.start() - _SERVICE_CHARS) : match.start()]
    if _NAMES_SOURCE.search(before):
        return False
    if _SERVICE_PATH.search(url):
        return True
    return _GO_TO.search(before) is not None and not _CITES.search(before)


def without_identifiers(text: str) -> str:
    """A text with a space in place of each identifier."""
    for _, pattern, _ in _PATTERNS:
        text = pattern.sub(" ", text)
    return text


def _cited(scheme: str, match: re.Match[str], text: str) -> Cited:
    """The citation of an identifier; it is malformed where it has no normal form."""
    ref = f"final_answer:L{line_number(text, match.start())}"
    written = trim(match[match.lastindex or 0])
    if scheme in ("url", "doi"):
        identified = identify(written)
        if identified is not None:
            scheme, value = identified
            standing = Standing.CITED
            if scheme == "url" and _is_no_evidence(text, match, value):
                standing = Standing.NAMED
            return Cited(ref=ref, ids={scheme: value}, standing=standing)
    spelled = written.replace(" ", "") if scheme == "nct" else written
    normalised = normal(scheme, spelled)
    if normalised is None:
        return Cited(ref=ref, malformed=((scheme, written),))
    return Cited(ref=ref, ids={scheme: normalised})
