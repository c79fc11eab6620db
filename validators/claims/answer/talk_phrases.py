"""Phrases that state nothing: greetings, thanks, offers, declared ignorance, advice. Tables of patterns.

A sentence is talk only where one of these tables recognises it. What none of them knows is a claim.
"""

from __future__ import annotations

from typing import Final

from judgemesh.validators.claims.answer.phrases import DOCUMENTS

_ME: Final = r"(?:i|we)(?:'ve| have|'d| had)?(?: also| now| just| already| carefully| quickly| briefly){0,6}"
_TELLING: Final = r"(?:e-?mail|mail|message|confirmation|notification|reminder|update|text|sms|link|reply|answer)"

GREETINGS: Final = (
    (
        r"(?:best|warmly|respectfully|konnichiwa|hello|hi|hey|greetings|welcome|cheers|regards|sincerely|yours"
        r"|enjoy|apologies|done|noted|understood"
        r"|aloha|ahoy"
        r"|namaste|ciao|hola|bonjour|bonsoir|salut|hallo|moin|servus|gruezi|ahoj|salve|hej|hei|merhaba|salaam"
        r"|shalom|ola"
        r"|ol\u00e1|yum|wow|hooray|congrats|bravo|oops)(?!\w)"
    ),
    (
        r"(?:guten (?:tag|morgen|abend)|buen(?:os|as) (?:d[i\u00ed]as|tardes|noches)|buongiorno|buonasera|bom dia"
        r"|boa tarde"
        r"|dzie\u0144 dobry|dobr\u00fd den|god dag|goedendag|goedemorgen|sehr geehrte|liebe[rs]?|ch\u00e8re?"
        r"|estimad[oa]s?"
        r"|car[oa] |gentile|geachte|szanown\w+)(?!\w)"
    ),
    (
        r"(?:merci|danke|vielen dank|gracias|muchas gracias|grazie|obrigad[oa]|dank u|bedankt|tack|takk|kiitos"
        r"|arigato)(?!\w)"
    ),
    r"(?:mit )?(?:freundlichen|besten|herzlichen|viele|beste|liebe) gr\u00fc(?:\u00df|ss)en?\b",
    (
        r"(?:cordialement|bien \u00e0 vous|saludos|un saludo|atentamente|cordiali saluti|distinti saluti"
        r"|atenciosamente"
        r"|met vriendelijke groet|hochachtungsvoll|bis bald|au revoir|adi\u00f3s|bon (?:app\u00e9tit|voyage)"
        r"|buen viaje"
        r"|guten appetit)(?!\w)"
    ),
    r"dear\b(?!.*\.$)",
    r"good (?:morning|afternoon|evening|night|day|luck|question|job|work)\b",
    r"(?:many |a big |warm )?(?:thanks|thank you)\b(?! to\b)",
    r"(?:great|perfect|excellent|wonderful|good|nice) (?:question|choice|idea|to hear|work|job|to meet)\b",
    r"(?:great|perfect|excellent|wonderful)\W*$",
    r"(?:with )?(?:best|kind|warm|many)(?:est)? (?:regards|wishes|greetings)\b",
    (
        r"(?:have|enjoy) (?:a|the|your) (?:\w+ ){0,3}(?:day|one|week|weekend|evening|night|trip|stay|time|flight"
        r"|journey|meal"
        r"|holidays?|start|crossing|game|visit)\b"
    ),
    r"happy (?:to|travels|reading|cooking|holidays|coding|baking|new year|birthday)\b",
    (
        r"(?:take (?:good )?care|stay (?:safe|tuned|well|healthy)|you got this|sent from my|safe travels"
        r"|wishing you|congratulations|no problem|my pleasure|see you|talk soon|until then)\b"
    ),
    r"(?:all the best|good luck|get well soon|fingers crossed|what an? \w+)\b",
    r"you(?:'re| are) (?:very |most )?welcome\b",
    r"all (?:done|set)\b",
    r"you(?:'re| are) (?:all set|good to go|ready to go|in good hands)\b",
)
"""Greetings, thanks, wishes and farewells in the languages that letters use."""

OFFERS: Final = (
    r"(?:i|we) apologi[sz]e\b",
    r"sorry\b",
    (
        r"(?:i|we)(?:'m| am|'re| are) (?:very |so |truly |really |always |also ){0,6}"
        r"(?:sorry|happy|glad|here|pleased|afraid|delighted|at your|available|not able|unable)\b"
    ),
    r"let (?:me|us)\b",
    r"let's\b",
    r"feel free\b",
    r"(?:please )?(?:do(?:n't| not)) (?:hesitate|worry)\b",
    r"(?:please )?(?:reach out|ping (?:me|us)|shout|drop (?:me|us)|get in touch|reply to)\b",
    r"(?:just )?(?:ping|tell|ask|email|e-mail|message|write to|write back to|call|text|contact) (?:me|us)\b",
    r"please (?:let|feel|reach|contact|ask|tell|confirm|share|send|provide|see|find|give|reply|write|advise)\b",
    r"just (?:reply|ask|say|let|give|send|write)\b",
    r"(?:i |we )?(?:do |really |sincerely )?hope\b",
    r"i(?:'ll| will|'d| would| can(?:not|'t)?| could| may| might)\b",
    r"we (?:look forward|hope|value|appreciate|thank|wish|recommend|suggest|advise|trust you)\b",
    r"(?:looking forward to|hopefully)\b",
    r"is there anything\b",
    r"(?:should|would|do|could|can) you\b",
    (
        r"(?:should|in case|for) (?:anything|any|there be|of)\b.*\b(?:questions?|unclear|help|doubts?|problems?"
        r"|concerns?|information|details)\b"
    ),
    (
        r"for (?:further|more|other|any|additional) (?:questions?|information|details?|help|assistance|support"
        r"|enquiries)\b"
    ),
    r"anything else\b",
    r"may i\b",
    r"shall (?:i|we)\b",
    r"(?:more|further|additional|full) (?:details?|information)(?: on [\w ]+)? (?:is|are|can be)\b",
    (
        r"(?:(?:the|our|my|a|your|one of our) (?:\w+ ){0,2}|someone from (?:our|the) )(?:teams?|services?"
        r"|office|helpdesk|people|colleagues?|supports?|staff|agents?|advisers?|advisors?"
        r"|specialists?|desk)"
        r" (?:will|can|would|is|are)(?: \w+)? (?:be (?:happy|glad|in touch)|get back|contact|call|reach|reply|help"
        r"|assist|respond"
        r"|answer|look into|follow up|happy|here (?:to|for)|glad)\b"
    ),
    r"(?:it (?:was|is|has been) (?:a|my|our) (?:\w+ )?pleasure)\b",
    r"(?:this|that|it|these) (?:should|will|may|might|hopefully) (?:help|answer|be all|do)\b",
    r"(?:that|this) (?:answers|covers|completes|concludes) (?:your|the|my|our|it|everything|all)\b",
    r"that(?:'s| is| was) (?:all|it|everything)(?:\W*$| (?:i|we|for|you|from|there)\b)",
    r"that(?:'s| is| was) an? (?:\w+ )?(?:question|idea|point)\b",
    r"(?:this|that|it|these)(?: hopefully)? (?:clears?|clarif(?:y|ies)|helps?|explains)\b",
    r"this is not (?:the (?:answer|news|outcome)|what) (?:you|we|i)\b",
    r"you(?:'ll| will| should) hear (?:back )?from\b",
    (
        r"for (?:the |a |an |any |your )?[\w ]{1,40}, (?:please|see|contact|visit|call|check|consult|refer|write|go"
        r"|reply)\b"
    ),
    r"see (?:also )?[\w.-]*\d[\w.-]*\W*$",
    r"more (?:in|on this in|about this in) (?:section|chapter|the)\b",
    r"everything (?:else )?(?:you need|i found|we found)\b",
    (
        r"your (?:satisfaction|feedback|patience|opinion|understanding|trust|business) (?:matters|helps|(?:is|are"
        r"|means?)"
        r" (?:very |so |always |greatly |much )?(?:important|appreciated|valued|valuable|welcome|a lot|everything))\b"
    ),
    (
        r"(?:no|nothing) (?:further |more |other |else )?(?:action|steps?)?(?: is| are)? ?(?:required|needed"
        r"|necessary|to do)\b"
    ),
)
"""Offers, excuses and wishes."""

OWN_WORK: Final = (
    (
        rf"{_ME} (?:checked|looked|reviewed|searched|read|went|compared|attached|enclosed|prepared|compiled"
        rf"|summari[sz]ed"
        r"|listed|gathered|collected|hope|consulted|double-checked|put together|included|drafted|translated"
        r"|understand|see"
        r"|appreciate|based|used|worked|tried|answered|analy[sz]ed|examined|verified|organi[sz]ed|marked"
        r"|highlighted|noted"
        r"|sorted|quoted|kept|wrote (?:this|the)|took (?:the|a)|made (?:sure|a|this)|found (?:the|a|your|these|this"
        r"|what|it))\b"
    ),
    r"i(?:'m| am) (?:not )?(?:an? |only |just |your |the )",
    r"as an? (?:ai|assistant|language model|virtual|large)\b",
    r"here(?:'s| is| are| comes?| you)\b",
    r"(?:below|above) (?:is|are|you|i|we)\b",
    r"(?:below|above|attached|enclosed)(?:,)? (?:please|you)\b",
    r"you(?:'ll| will| can)? find\b.*\b(?:below|above|attached|here|attachment|list|link)\b",
    r"(?:the|a|your|my|our) [\w ]{1,40} (?:is|are) (?:attached|enclosed|below|above|listed below|shown below)\b",
    r"the following\b.*:$",
    r"see (?:the|my|below|above|also|attached|claims|sources|outputs?)\b",
    r"as (?:requested|discussed|promised|agreed)\W*$",
    (
        r"(?:this|the above|the following|these|my|the) (?:answer|summary|response|overview|reply|information"
        r"|message|text|e-?mail"
        r"|list|report|chat|note|content|assessment|figure|detail)s?(?: below| above)? (?:(?:is|are|was"
        r"|were) (?:based|for|meant"
        r"|intended|not an? |only|generated|provided|drawn|taken|general|a summary|subject to|in no way)|(?:do"
        r"|does) not"
        r"|should not|cannot|covers?|contains?|includes?|summari[sz]es?)\b"
    ),
    (
        r"(?:all )?(?:the )?(?:figures|numbers|details|data|facts)(?: here| above| below)? (?:is|are|come"
        r"|were) (?:taken |drawn )?from\b"
    ),
    (
        r"this is (?:an? )?(?:general|automated|automatic|not (?:a |an )?(?:legal|medical|financial|tax|substitute"
        r"|professional"
        r"|binding|official)|only|just|for information|my|meant|intended|what)\b"
    ),
    r"(?:none of )?this (?:is not|does not|should not)\b.*\b(?:advice|substitute|replace|guarantee)\b",
    r"you (?:asked|wanted|wished|inquired|enquired|requested|wrote|mentioned|would like)\b",
    r"you(?:'d| would) like\b",
    (
        r"you(?:'re| are)? (?:(?:are|were|feel|must be|might be|may be) )?(?:right|busy|upset|frustrated|worried"
        r"|concerned"
        r"|disappointed|looking for|asking|hoping|wondering|interested|waiting for (?:an|my|our))\b"
    ),
    (
        r"(?:this|that|it|how \w+ this) (?:is|must be|can be|may be|was) (?:very |so |really )?(?:frustrating"
        r"|stressful|annoying"
        r"|difficult|unpleasant|confusing|inconvenient|not easy|disappointing)\b"
    ),
    r"how (?:stressful|frustrating|annoying|difficult|important|hard)\b",
    (
        r"your (?:question|request|message|enquiry|inquiry|query|question was)\b(?: (?:(?:is|was) about|(?:is|was"
        r"|has been) (?:received|noted|forwarded|logged|registered|passed on)|reads)|:)"
    ),
    r"(?:your|the|my|user'?s?) (?:question|request|task)(?: (?:is|was|reads))?:",
    r"(?:in (?:summary|conclusion)|sources?|references?)\W*$",
    r"(?:sources?|references?|quelle|fuente|based on|see also)\b:",
)
"""What the speaker says about its own work, its answer and the request."""

SILENCE: Final = (
    (
        rf"^(?:nothing|none) (?:in|of) {DOCUMENTS} (?:cover|mention|say|state|address|answer|tell|explain"
        rf"|describe)s?\b"
    ),
    (
        rf"\b{DOCUMENTS}(?: \w+)? (?:do(?:es)?|did)(?: not|n't) (?:say|mention|state|contain|specify|describe"
        rf"|address|tell"
        r"|list|give|name|explain|indicate)\b"
    ),
    (
        r"\b(?:documents?|docs|passages?|sources?|records?|texts?|files?|evidence|data|materials?|context|results?"
        r"|notes?)"
        r"(?: \w+)? (?:do(?:es)?|did)(?: not|n't) (?:provide|include|cover)\b"
    ),
    (
        r"^(?:there (?:is|was|were|are) )?(?:no|not any) (?:\w+ )?(?:information|mention|details|data)(?: (?:is|was"
        r"|were|are))?"
        r" (?:on|about|found|available|given|provided|of)\b"
    ),
    (
        r"\b(?:is|are|was|were) not (?:mentioned|stated|specified|covered|addressed|described)(?: (?:in|by|there"
        r"|here)\b.*)?\W*$"
    ),
    (
        r"^(?:unfortunately,? )?(?:i|we)(?:'m| am| are|'re)? (?:could|can|was|were|do|did|have|had)?(?: ?not"
        r"|n't|not)"
        r" (?:been )?(?:find|found|able to|know|determine|say|tell|see|have (?:any |enough )?(?:information|details"
        r"|access|data))\b"
    ),
    r"^(?:i|we) (?:cannot|can't) (?:find|say|tell|determine|confirm|verify|see)\b",
    r"^(?:i|we)(?: am|'m| are|'re|was| was| were)? unable to\b",
    r"^(?:i|we) (?:found|have|had|see|saw) (?:no|nothing)\b",
    r"^(?:it|this) (?:could|can)(?: ?not|n't) be (?:found|determined|verified|confirmed)\b",
    r"^(?:it|this) is (?:not|un)(?:known| known| clear|clear)\b",
    r"^(?:could|can)(?: not|n't|not) (?:find|determine)\b",
    r"^unable to (?:find|determine|say|tell|confirm)\b",
)
"""What a sentence says when it only says that something is not known."""

TALK: Final = (*GREETINGS, *OFFERS, *OWN_WORK)
"""Beginnings of sentences that state nothing, unless they hold a figure or go on to state something."""

_IMPERATIVES: Final = (
    r"accept|add|adjust|allow|always|answer|apply|arrange|arrive|ask|attach|avoid|bake|be|bear|beware|book"
    r"|bring|browse|buy|call"
    r"|cancel|carry|change|charge|check|choose|clean|click|close|collect|come|compare|complete|confirm|connect"
    r"|consider"
    r"|consult|contact|cook|copy|cover|create|cut|decide|delete|discuss|do|don't|download|drink|drop|eat"
    r"|e-?mail|enable|ensure"
    r"|enter|escalate|exit|expect|explain|fill|find|finish|follow|forward|gather|get|give|go|handle|have|head"
    r"|hold|ignore"
    r"|include|inform|insert|inspect|install|join|keep|leave|let|list|log|look|mail|make|mark|measure|mention"
    r"|mix|monitor"
    r"|move|never|note|notify|open|order|pack|pay|pick|place|plan|post|pour|prepare|present|press|print|proceed"
    r"|provide|pull"
    r"|push|put|quote|read|refer|register|remember|remove|replace|reply|report|request|reset|restart|retry"
    r"|return|review"
    r"|run|save|schedule|scroll|search|select|send|serve|set|share|show|sign|skip|speak|specify|start|stay|stir"
    r"|stop|store"
    r"|submit|switch|take|talk|taste|tell|test|think|track|try|turn|type|update|upgrade|upload|use|verify|view"
    r"|visit|wait"
    r"|wash|watch|wear|write"
)
_AFTER_IMPERATIVE: Final = (
    r"(?=\s+(?:an?|the|your|our|my|his|her|their|its|this|that|these|those|it|them|him|us|me|yourself|in|on|at"
    r"|to|for"
    r"|with|out|up|off|down|if|whether|that|all|any|each|every|both|by|into|through|sure|only|not|from|about|again"
    r"|back|over|until|till|before|after|as|well|early|late|aware|careful|free|ready|patient|when|once|and|or"
    r"|care|part"
    r"|contact|note|time|please|forget|hesitate|enough|some|one|two|another|more|here|there|\d)\b)"
)

ASIDES: Final = (
    r"please",
    r"kindly",
    r"i",
    r"i'",
    r"my (?:advice|suggestion|recommendation|tip|name|plan|next step)",
    rf"(?:{_IMPERATIVES}){_AFTER_IMPERATIVE}",
    r"(?:always|never|don't|do not|simply|just|make sure|click|visit|contact|consult|avoid|try|consider)\b",
    (
        rf"you(?:'ll| will| should| may)? (?:soon |also |shortly |then |now ){{0,6}}(?:receive|get|see|be sent) (?:an?"
        rf"|the|our|your) (?:\w+ ){{0,2}}{_TELLING}"
    ),
    (
        r"you (?:can|could|should|might|may want|may wish|will want|would|need(?:n't)? only)(?: not)?"
        r"(?! (?:also |still |then )?(?:get (?!in touch|more|help|further|back)|keep|claim|have (?!a look)|obtain"
        r"|stay|receive|enter|owe)\b)"
    ),
    r"we(?:'ll|'d| will| would| can(?:not|'t)?| could)",
    (
        r"we(?:'ve| have)?(?: also| now| already| just){0,6} (?:booked|sent|e-?mailed|mailed|forwarded|informed"
        r"|notified|updated"
        r"|cancelled|canceled|refunded|paid|ordered|created|opened|processed|registered|recorded|received|scheduled"
        r"|reserved|submitted|issued|arranged|asked|contacted|started|logged|escalated|credited|changed"
        r"|extended|moved"
        r"|renewed|transferred|added|removed|assigned|activated|reset|filed|shipped)"
    ),
    (
        r"to \w+(?: [\w']+){0,6}, (?:please |just |simply )?(?:you can|go|click|call|write|visit|open|contact|use"
        r"|send|log|check|ask)"
    ),
    r"in my",
    r"should you",
    r"next time",
    r"it(?:'s| is| may be| might be| would be) (?:best|advisable|recommended|worth|a good idea|safer|wise)",
)
"""Beginnings of advice and of next steps, and of what the speaker did: that is for the checks of records and state."""

INTROS: Final = (
    (
        r"^(?:here|below|above|the following|these|in (?:summary|short)|what i found|sources?|references?"
        r"|my findings)\b"
    ),
    r"\bfollow(?:s|ing)\b",
    r"\b(?:facts?|details|summary|answers?|points|findings|results|steps|options|overview|list)\b[^:]*:$",
)
"""What a sentence that ends in a colon says when it only introduces."""
