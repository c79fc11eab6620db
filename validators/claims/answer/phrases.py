"""Phrases that introduce a statement. Tables of patterns."""

from __future__ import annotations

from typing import Final

DOCUMENTS: Final = (
    r"(?:(?:the|these|those|your|our|my|this|that|all|available|provided|given|attached|official|internal) ){0,6}"
    r"(?:documents?|docs|records?|files?|polic(?:y|ies)|handbooks?|reports?|data(?:base)?|sources?|passages?"
    r"|evidence"
    r"|manuals?|guides?|tools?|search(?: results?)?|systems?|logs?|notes?|pages?|articles?|contracts?|texts?"
    r"|information|results?|ledger|schedule|catalogue|website|materials?|context|you|findings?|knowledge base"
    r"|minutes"
    r"|timetable|memo|leaflet|label|agreement|statement|invoice|account)"
)
_AS_IN: Final = (
    r"(?:based on|according to|per|as per|from|as (?:stated|noted) in|looking at"
    r"|(?:after|having) check(?:ing|ed))"
)
_WHO: Final = (
    r"(?:i|we)"
    r"(?:'ve|'d|'m| have| had| can| could| would| also| just| do| did| am| are| will| must){0,6}"
)
_SAY: Final = (
    r"(?:found|find|see|saw|confirm(?:ed)?|verif(?:y|ied)|check(?:ed)?|noted?|learn(?:ed|t)?|determined?|concluded?"
    r"|discover(?:ed)?|calculated?|reported?|say|tell you|assure you|inform you|estimated?|noticed?|assumed?"
    r"|observed?|gather(?:ed)?|established?|add)"
)
_SURE_SAY: Final = (
    r"(?:(?:can |could )?(?:confirm|conclude|say|tell you|assure you|inform you|add)|determined|concluded"
    r"|discovered|noticed"
    r"|learn(?:ed|t)|established|can see)"
)
_THINK: Final = (
    r"(?:think|believe|guess|suppose|assume|understand|know|reckon|feel|expect"
    r"|(?:am |'m )?(?:certain|sure|confident|convinced|aware))"
)

THAT: Final = (
    r"(?: that\b|:|,(?! (?:but|and|or)\b)| (?=(?:the|an?|your|our|my|his|her|their|its|all|every|each|no|nobody"
    r"|nothing|some|someone"
    r"|somebody|there|it|they|he|she|you|we|both|this|these|those)\b|(?-i:[A-Z])))"
)
"""What joins a report with its statement: `that`, a colon, or the subject of the statement."""
_ADVERB: Final = (
    r"(?:also |now |just |already |hereby |truly |really |must |have to |can ){0,6}"
)

INTERJECTIONS: Final = (
    r"sure(?: thing)?", "certainly", "of course", "absolutely", "definitely", r"ok(?:ay)?", "yes", "yep", "yeah",
    "no",
    "well", "so", r"great(?: news| question)?",
    r"(?:hello|hi|hey|good (?:morning|afternoon|evening|day))(?: \w[\w.]{0,15}){0,3}?",
    r"(?:good|bad) (?:news|question)", "perfect", "thanks", "thank you", "sorry", "alright",
    "all right", "right", "indeed", "actually", "basically", "in fact", "fyi", "also", "additionally",
    "furthermore",
    "moreover", "finally", r"first(?:ly)?", r"second(?:ly)?", r"third(?:ly)?", "next", "then", "overall",
    "importantly",
    "notably", "interestingly", "unfortunately", "fortunately", "luckily", "happily", "correct", "exactly",
    r"in (?:summary|conclusion|short|brief|other words|my (?:opinion|view))",
    (r"to (?:summari[sz]e|sum (?:it |things )?up|conclude|answer (?:your|the) question|be (?:clear|exact|honest"
    r"|fair|precise|sure)|clarify"
    r"|put it (?:simply|briefly|short))"),
    r"in (?:the end|brief|a nutshell|detail|particular|any case|general|addition)", "sadly", "regrettably",
    "briefly",
    "honestly", "clearly", "obviously", "apparently", "evidently", "therefore", "thus", "hence", "however",
    "besides",
    "still", "nevertheless", "naturally", "accordingly", "consequently", "likewise", "similarly", "meanwhile",
    r"happy to (?:help|assist)", r"sorry(?: to say| for [\w ]{1,40}| about [\w ]{1,40})?", r"heads[ -]up",
    r"(?:the )?bottom line", r"tl;?dr", r"(?:quick |short |brief |status )?(?:update|recap|reminder|summary|reply)",
    r"(?:do not|don't) worry", r"(?:i )?hope this helps", r"(?:regarding|concerning|as for|as to) [\w' ]{1,60}",
    r"as (?:far as (?:i|we) (?:know|can (?:see|tell))|expected|always|usual|you wished)",
    (r"as (?:requested|you (?:can see|asked|know)|mentioned|noted|discussed|promised|agreed|far as i (?:know"
    r"|can see))"),
    r"for (?:reference|context|your information)", "to my knowledge", r"quick(?: answer| note)?",
    "short answer", "note", r"p\.?s\.?", rf"{_AS_IN} {DOCUMENTS}(?: [^,:.]{{0,60}})?",
    r"dear [\w .]{1,40}",
    (r"(?:guten (?:tag|morgen|abend)|bonjour|hola|buenos d[i\u00ed]as|ciao|buongiorno|ol\u00e1|hallo|moin|ahoj"
    r"|hej|hei|salut)"
    r"(?: \w+){0,3}"),
)  # fmt: skip
"""Openers that stand before a comma, a dash or a colon."""

REPORTS: Final = (
    rf"{_WHO} (?:now |already |quickly )?{_SAY}(?: out)?(?: in {DOCUMENTS}(?: [^,:.]{{0,40}})?)?(?: that\b|:)",
    rf"{_WHO} (?:am |'m )?{_THINK}{THAT}",
    (
        r"(?:my|our|the) (?:quick |own )?(?:research|search|review|analysis|calculations?|records?|notes?"
        r"|understanding"
        r"|findings?|check|look-?up|systems?|data(?:base)?|logs?|files?|books?|tools?) (?:clearly "
        r"|also )?(?:shows?|showed"
        r"|suggests?|indicates?|confirms?|confirmed|finds?|found|says?|returned|reveals?|tells? (?:me|us))"
        rf"{THAT}"
    ),
    (
        r"it (?:turns out|turned out|is (?:clear|worth noting|important to note|a fact)|should be noted|appears"
        r"|seems)"
        r"(?: that\b)?"
    ),
    (
        r"(?:please |do |you should |you must |also |just ){0,6}(?:note|be aware|be advised|remember|keep in mind|know"
        r"|bear in mind)(?: that\b|:)"
    ),
    r"my (?:understanding|impression|conclusion|finding|result) is that\b",
    rf"(?:you (?:may|might|will) be interested to know|did you know|rest assured){THAT}",
    (
        rf"the (?:user|customer|client|reader)s? (?:should|must|may|needs? to|ought to) (?:know|note|be (?:aware"
        rf"|told)){THAT}"
    ),
    r"in (?:my|our) (?:opinion|view|experience)\b",
    rf"(?:take it from me|trust me|believe me|i have (?:a|the) feeling|hopefully){THAT}",
    rf"{_WHO} {_ADVERB}{_SURE_SAY}{THAT}",
    rf"(?:please )?be (?:informed|assured|aware|advised){THAT}",
    (
        rf"(?:i|we) {_ADVERB}(?:regret|have|want|wish|need) to (?:say|report|confirm|inform you|tell you"
        rf"|let you know|admit|add){THAT}"
    ),
    rf"it (?:pains|saddens|pleases) (?:me|us) to (?:say|report|tell you|inform you)(?: this)?(?:,? but\b|{THAT})",
    rf"(?:as you (?:can see|know|may know)|the (?:fact|truth|thing|point|problem|good news|bad news) is){THAT}",
    rf"let me be (?:honest|clear|frank|direct){THAT}",
    rf"(?:(?:i am|i'm|we are|we're) )?(?:very |so )?(?:sorry|afraid) to say{THAT}",
    r"(?:therefore|thus|hence|consequently|but|and|because|so)\b(?=\s)",
    (
        r"(?:i am|i'm|we are|we're) (?:pleased|happy|glad|sorry|delighted|afraid) to"
        r" (?:say|report|confirm|inform you|tell you|let you know|announce)"
        rf"{THAT}"
    ),
    rf"(?:happy|pleased|glad|sorry) to (?:confirm|report|say|tell you){THAT}",
    rf"let me (?:note|tell you|say|confirm|add|stress){THAT}",
    (
        rf"(?:i'd|i would|we'd|we would) like to (?:note|point out|confirm|say|mention|add|stress|inform you"
        rf"|tell you){THAT}"
    ),
    rf"i(?:'m| am) afraid{THAT}",
    (
        r"(?:the|your|my) (?:short |final |correct |simple |quick ){0,6}answer(?: to (?:your|this|the) question)? is"
        r"(?: that\b|:)"
    ),
    r"to answer (?:your|the) question(?: that\b|:)?",
    (
        rf"{DOCUMENTS} (?:clearly |also ){{0,6}}(?:says?|states?|stated|shows?|confirms?|indicates?|mentions?|notes?"
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
