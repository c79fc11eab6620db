"""Sentences that say when or where a value will be, and not what it is.

`We will tell you the pickup date by mail`, `You will find your claim number in the app`, `The seat is printed on the
ticket`, `Ask the clerk for the docket number`. Each form is a pattern over the sentence with `@` for the field's name.
"""

from __future__ import annotations

import re
from typing import Final

_DETERMINER: Final = (
    r"(?:(?:the|your|our|my|its|his|her|their|a|an|this|that|any|each) )?(?:[a-z'-]+ )?"
)
_MODAL: Final = (
    r"(?:(?: will|'ll| shall| can| could| may| might| should| must| would| (?:are|is|am) going to| (?:need|needs|have"
    r"|has) to)(?: also| then| soon| later| always| still| only)*)"
)
_WHO: Final = (
    r"(?:i|we|they|you|he|she|someone|(?:the|our|your|a|an) [a-z-]+(?: [a-z-]+)?)"
)
_GIVE: Final = (
    r"(?:tell|send|e-?mail|mail|text|give|share|provide|announce|confirm|communicate|publish|post|find|see|view|check|"
    r"look up|read|get|receive|obtain|ask(?: for)?|know|learn|request|forward|supply|let \w+ know|come back with|"
    r"follow up with|get back to \w+ with|pass on|issue|decide(?: on)?|determine|calculate|work out|set|access|"
    r"collect|pick up)"
)
_WHOM: Final = r"(?: (?:you|them|us|me|him|her|everyone|(?:the|your|our) [a-z-]+))?(?: (?:about|with|of))?"
_DONE: Final = (
    r"(?:available|printed|shown|listed|displayed|found|visible|stored|located|sent|e-?mailed|mailed|texted|shared|"
    r"provided|given|stated|noted|written|published|announced|posted|attached|enclosed|on file|on record|included|"
    r"seen|viewed|checked|looked up|requested|obtained|accessed|confirmed|communicated|forwarded|supplied|issued|"
    r"decided|determined|calculated|assigned|set|worked out|collected|kept)"
)
_PLACE: Final = (
    r"(?:,? (?:in|on|at|by|from|via|with|under|through|inside|when|once|after|before|as soon as|until|tomorrow|soon|"
    r"later|shortly|next|within|separately|to (?:you|them|us)|yet|over|during|again|today|tonight|there|elsewhere|"
    r"automatically|directly|online|for (?:you|them|us))\b.*)?"
)
_PLEASE: Final = r"(?:please |kindly )?"
_FORMS: Final = tuple(
    re.compile(form)
    for form in (
        rf"{_WHO}{_MODAL} {_GIVE}{_WHOM} {_DETERMINER}@{_PLACE}",
        (
            rf"{_PLEASE}(?:see|check|find|view|request|look up|ask for|read) {_DETERMINER}@"
            r"(?: (?:in|on|at|with|from|via|under|through|online|there)\b.*)"
        ),
        (
            rf"{_PLEASE}(?:ask|check|see|consult|contact|call|visit|refer to|open|read|log in to|look at|go to) "
            rf"(?:[a-z'-]+ ){{1,6}}(?:for|about|regarding|to (?:see|get|find|learn|check)) {_DETERMINER}@{_PLACE}"
        ),
        rf"{_DETERMINER}@{_MODAL} (?:[a-z]+ly )?(?:be )?(?:{_DONE}|follow|arrive|appear|come|be there){_PLACE}",
        (
            rf"{_DETERMINER}@ (?:is|are|was|were|has been|have been)(?: [a-z]+ly| also| now| then| always| only)* "
            rf"{_DONE}{_PLACE}"
        ),
        rf"{_DETERMINER}@ (?:is|are) (?:on|in|inside) (?:the|your|our) [a-z -]+",
        rf"{_DETERMINER}@ (?:depends? on|varies|appears? (?:on|in|at)|follows|arrives (?:by|via)|stands (?:on|in)) ?.*",
    )
)
_POINTS_ON: Final = re.compile(
    r"\b(?:below|above|following|as follows|here|namely|that is|as|called|named)\b|[:\"\u201c=]"
)
_LEAD: Final = re.compile(
    r"^[\s>*_#\u2022-]*(?:(?:and|so|then|also|however|unfortunately|thanks?|thank you|sorry|hello|hi|ok|okay|sure|"
    r"as soon as [^,]*|once [^,]*|when [^,]*|after [^,]*|for that)[,!.]?\s+)*"
)


def is_announced(before: str, after: str) -> bool:
    """Whether a sentence only says where or when the value of a field will be.

    Args:
        before: the sentence up to the field's name.
        after: the sentence behind it.
    """
    if any(map(str.isdigit, f"{before}{after}")):
        return False
    marked = f"{before}@{after}".casefold().replace("\u2019", "'")
    if _POINTS_ON.search(marked):
        return False
    bare = " ".join(_LEAD.sub("", marked).split()).rstrip(" .!*_")
    return any(form.fullmatch(bare) for form in _FORMS)
