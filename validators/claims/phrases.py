"""Phrases that introduce a statement, and phrases that state nothing: greetings, offers, advice. Tables of patterns."""

from __future__ import annotations

from typing import Final

DOCUMENTS: Final = (
    r"(?:(?:the|these|those|your|our|my|this|that|all|available|provided|given|attached|official|internal) )*"
    r"(?:documents?|docs|records?|files?|polic(?:y|ies)|handbooks?|reports?|data(?:base)?|sources?|passages?|evidence"
    r"|manuals?|guides?|tools?|search(?: results?)?|systems?|logs?|notes?|pages?|articles?|contracts?|texts?"
    r"|information|results?|ledger|schedule|catalogue|website|materials?|context|you|findings?|knowledge base|minutes"
    r"|timetable|memo|leaflet|label|agreement|statement|invoice|account)"
)
_AS_IN: Final = (
    r"(?:based on|according to|per|as per|from|as (?:stated|noted) in|looking at"
    r"|(?:after|having) check(?:ing|ed))"
)
_WHO: Final = (
    r"(?:i|we)"
    r"(?:'ve|'d|'m| have| had| can| could| would| also| just| do| did| am| are| will| must)*"
)
_SAY: Final = (
    r"(?:found|find|see|saw|confirm(?:ed)?|verif(?:y|ied)|check(?:ed)?|noted?|learn(?:ed|t)?|determined?|concluded?"
    r"|discover(?:ed)?|calculated?|reported?|say|tell you|assure you|inform you|estimated?|noticed?|assumed?"
    r"|observed?|gather(?:ed)?|established?|add)"
)
_THINK: Final = (
    r"(?:think|believe|guess|suppose|assume|understand|know|reckon|feel|expect"
    r"|(?:am |'m )?(?:certain|sure|confident|convinced|aware))"
)

INTERJECTIONS: Final = (
    r"sure(?: thing)?", "certainly", "of course", "absolutely", "definitely", r"ok(?:ay)?", "yes", "yep", "yeah", "no",
    "well", "so", r"great(?: news| question)?", r"hello(?: there)?", r"hi(?: there)?", r"hey(?: there)?",
    r"good (?:news|morning|afternoon|evening|question)", "perfect", "thanks", "thank you", "sorry", "alright",
    "all right", "right", "indeed", "actually", "basically", "in fact", "fyi", "also", "additionally", "furthermore",
    "moreover", "finally", r"first(?:ly)?", r"second(?:ly)?", r"third(?:ly)?", "next", "then", "overall", "importantly",
    "notably", "interestingly", "unfortunately", "fortunately", "luckily", "happily", "correct", "exactly",
    r"in (?:summary|conclusion|short|brief|other words|my (?:opinion|view))",
    r"to (?:summari[sz]e|sum (?:it )?up|conclude|answer your question|be (?:clear|exact))",
    r"as (?:requested|you (?:can see|asked|know)|mentioned|noted|discussed|promised|far as i (?:know|can see))",
    r"for (?:reference|context|your information)", "to my knowledge", r"quick(?: answer| note)?",
    "short answer", "note", rf"{_AS_IN} {DOCUMENTS}(?: [^,:.]{{0,60}})?",
    r"dear [\w .]{1,40}",
)  # fmt: skip
"""Openers that stand before a comma, a dash or a colon."""

REPORTS: Final = (
    rf"{_WHO} (?:now |already |quickly )?{_SAY}(?: out)?(?: in {DOCUMENTS}(?: [^,:.]{{0,40}})?)?(?: that\b|:)",
    rf"{_WHO} (?:am |'m )?{_THINK}(?: that\b|:)",
    (
        r"(?:my|our|the) (?:quick |own )?(?:research|search|review|analysis|calculations?|records?|notes?|understanding"
        r"|findings?|check|look-?up) (?:shows?|showed|suggests?|indicates?|confirms?|confirmed|finds?|found|is|says?"
        r"|returned|reveals?) that\b"
    ),
    (
        r"it (?:turns out|turned out|is (?:clear|worth noting|important to note|a fact)|should be noted|appears|seems)"
        r"(?: that\b)?"
    ),
    (
        r"(?:please |do |you should |you must |also |just )*(?:note|be aware|be advised|remember|keep in mind|know"
        r"|bear in mind)(?: that\b|:)"
    ),
    r"(?:you may be interested to know|did you know|rest assured)(?: that\b|:)",
    r"the (?:user|customer|client|reader) should know(?: that\b|:)",
    (
        r"(?:i am|i'm|we are|we're) (?:pleased|happy|glad|sorry|delighted|afraid) to"
        r" (?:say|report|confirm|inform you|tell you|let you know)(?: that\b|:)"
    ),
    r"(?:happy|pleased|glad) to (?:confirm|report|say)(?: that\b|:)",
    r"let me (?:note|tell you|say|confirm|add)(?: that\b|:)",
    r"(?:i'd|i would|we'd|we would) like to (?:note|point out|confirm|say|mention|add)(?: that\b|:)",
    r"i(?:'m| am) afraid(?: that\b|:)",
    (
        r"(?:the|your|my) (?:short |final |correct |simple |quick )*answer(?: to (?:your|this|the) question)? is"
        r"(?: that\b|:)"
    ),
    r"to answer (?:your|the) question(?: that\b|:)?",
    (
        rf"{DOCUMENTS} (?:clearly |also )*(?:says?|states?|stated|shows?|confirms?|indicates?|mentions?|notes?"
        r"|specif(?:y|ies)|reports?|reads?|tells? (?:us|you)|makes? (?:it )?clear)(?: that\b|:)"
    ),
)
"""Openers that report the statement behind them."""

LOOSE_REPORTS: Final = (
    rf"{_WHO} (?:{_SAY}|{_THINK}|count(?:ed)?|get|got|read)",
    "did you know",
    "please note",
    "note",
)
"""Openers that report the statement behind them even without `that`."""

TALK: Final = (
    r"(?:hello|hi|hey|greetings|welcome|many thanks|cheers|regards|sincerely|yours|enjoy|apologies|sorry|done)\b",
    r"dear\b",
    r"good (?:morning|afternoon|evening|day|luck|question)\b",
    r"(?:thanks|thank you)\b(?! to\b)",
    r"(?:great|perfect|excellent|wonderful|good) (?:question|choice|idea|to hear)\b",
    r"(?:great|perfect|excellent|wonderful)\W*$",
    r"(?:best|kind|warm)(?:est)? (?:regards|wishes)\b",
    r"have a (?:\w+ ){0,3}(?:day|one|week|weekend|evening|night|trip|stay|time|flight|journey|meal|holiday)\b",
    r"happy (?:to|travels|reading|cooking|holidays)\b",
    r"(?:take care|safe travels|wishing you|congratulations|no problem|my pleasure)\b",
    r"you(?:'re| are) (?:very |most )?welcome\b",
    r"(?:i|we) apologi[sz]e\b",
    r"(?:i|we)(?:'m| am|'re| are) (?:very |so |truly )?(?:sorry|happy|glad|here|pleased|afraid)\b",
    r"let (?:me|us)\b",
    r"let's\b",
    r"feel free\b",
    r"(?:please )?do(?:n't| not) hesitate\b",
    r"(?:please )?reach out\b",
    r"please (?:let|feel|reach|contact|ask|tell|confirm|share|send|provide|see|find|give)\b",
    r"(?:i )?hope\b",
    r"i(?:'ll| will|'d| would| can(?:not|'t)?| could|'ve| have| had|'m| am)?\b",
    r"is there anything\b",
    (
        r"if you (?:need|have|want|would|'d|require|wish)\b.*\b(?:help|questions?|else|more|further|assist\w*"
        r"|information|details?|anything|concerns?|changes?|support|let me|let us|contact|reach)\b"
    ),
    r"(?:should|would|do|could|can) you\b",
    r"anything else\b",
    r"may i\b",
    r"shall (?:i|we)\b",
    r"here(?:'s| is| are)\b",
    r"(?:below|above) (?:is|are|you|i|we)\b",
    r"the following\b.*:$",
    r"see (?:the|my|below|above|also|attached|claims|sources|outputs?)\b",
    r"as (?:requested|discussed|promised|agreed)\b",
    r"this (?:answer|summary|response|overview|reply)\b",
    r"that(?:'s| is) (?:all|it|everything)\b",
    r"all (?:done|set)\b",
    r"(?:in (?:summary|conclusion)|sources?|references?)\W*$",
)
"""Beginnings of sentences that state nothing, unless they hold a figure."""

SILENCE: Final = (
    r"do(?:es)?(?: not|n't) (?:say|mention|state|contain|specify|provide|include|give|cover|address|describe|list)",
    r"(?:no|any) (?:\w+ )?(?:information|mention|details?|data)",
    r"not (?:mentioned|stated|specified|covered|addressed)",
    r"(?:could|can|was|were)(?: not|n't) (?:find|found|able to|be found|determine)",
    r"cannot (?:find|say|tell|determine)",
    r"unable to (?:find|determine|say|tell|confirm)",
    r"(?:don't|do not) know",
)
"""What a sentence says when it only says that something is not known."""

ASIDES: Final = (
    "please", "i", "i'", "we", "we'", "my", "you", "if you", "consider", "try", "check", "make sure", "remember",
    "note", "contact", "click", "call", "take", "use", "bring", "visit", "avoid", "ensure", "keep", "go to", "ask",
    "send", "wait", "read", "open", "press", "log", "choose", "select", "add", "apply", "in my", "should you",
    r"it(?:'s| is) (?:best|advisable|recommended)",
)  # fmt: skip
"""Beginnings of advice, and of what the speaker did."""

INTROS: Final = (
    r"^(?:here|below|above|the following|these|in (?:summary|short)|what i found|sources?|references?|my findings)\b",
    r"\bfollow(?:s|ing)\b",
)
"""What a sentence that ends in a colon says when it only introduces."""
