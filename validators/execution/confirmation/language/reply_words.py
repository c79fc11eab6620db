"""The words by which a user's turn says yes, no, or yes on a condition."""

from __future__ import annotations

import re
from typing import Final

FILLER: Final = (
    r"(?:(?:well|oh|ah|hi|hello|hey|thanks|thank you|thx|great|perfect|good|and|so|then|now|also|"
    r"please|right|ok|okay|"
    r"fine|actually|sorry|alright|in that case|hm+|um+)\b[\s]*)*"
)
HARMLESS = re.compile(
    r"\bno need to (?:keep|have|hold|retain|save)(?: (?:it|that|them|this))?\b|\b(?:don't|do not|dont|no need to|"
    r"need not)\s+(?:worry|wait|mind|hesitate|forget|bother|ask|"
    r"need|have to|see (?:any|a|no)|have any)\b"
    r"|\bno (?:problem|problems|worries|objections?|issues?|concerns?|rush|hurry|questions?|changes?|"
    r"need|doubt|more questions|further questions)\b"
    r"|\bpas de (?:souci|problème)s?\b|\bsin problemas?\b|\bno hay problema\b|\bkein ding\b"
    r"|\bwhy (?:not|don't we|wait)\b|\bnot (?:a problem|an issue|only|to worry)\b|\bcan't wait\b|"
    r"\bno,? that's (?:all|fine|it|correct|right|good)\b"
    r"|\bif you don't mind\b|\bkein problem\b|\bat once\b|\bafter all\b|\bonce (?:and for all|more|again)\b"
    r"|\bas soon as (?:possible|you can)\b|\bwhen(?:ever)? (?:you can|possible|convenient)\b"
    r"|\bif (?:possible|necessary|needed|you (?:like|please|wish|want|can|would))\b|\buntil then\b"
    r"|\bwenn (?:sie|du) (?:so (?:nett|freundlich|gut|lieb) (?:wären?|sind|bist)|möchten|wollen|mögen|können)|"
    r"\bwenn möglich\b|"
    r"\bso ?bald wie möglich\b|\bkein problem\b|\b(?:einen )?schönen (?:tag|abend)(?: noch)?\b"
    r"|\bs'il (?:vous|te) plaît\b|\bdès que possible\b|\bquand (?:vous voulez|tu veux|vous pouvez|tu peux)\b|"
    r"\bsi (?:vous voulez|possible|tu veux)\b"
    r"|\bcuando (?:quiera|quieras|pueda|puedas|guste)\b|\bcuanto antes\b|\bsi (?:es posible|quiere|quieres|"
    r"no le importa|puede)\b"
)
ADVERBS: Final = (
    r"(?:(?:\w+ly|of course|but|god|hell|heavens|lord|good lord|better|rather|maybe|perhaps|i think|i guess|"
    r"i'd say|i would say|i'm afraid|i am afraid|i hope|most)\s+){1,2}"
)
"""What may stand before a `not` that is the whole answer: `certainly not`."""
NO = re.compile(
    r"^" + FILLER + r"(?:no|nope|nah|nein|non|não|nee|nej|нет|不|never|negative|"
    r"n)(?:\s+(?:thanks|thank|please|way|sorry|not|don't|stop|wait|i|i'll|i'd|i'm|we|you|he|she|they|it|that|this|"
    r"the|"
    r"my|sir|madam|go|just|keep|leave|let|let's|chance|deal|because|instead|never|ever|gracias|merci|danke|bitte|"
    r"grazie|obrigad[oa])\b.*)?$"
    r"|^" + FILLER + r"not\b(?! (?:only|just))"
    r"|^" + FILLER + ADVERBS + r"(?:no|not|nicht|never)$"
    r"|^(?:hardly|by no means|in no way|no way|no chance|no deal|over my dead body|not (?:a chance|on your life))\b"
    r"|\b(?:not|isn't|aren't|nothing is) (?:\w+ )?(?:approved|authori[sz]ed|confirmed|allowed|ok|"
    r"okay|yet|now|agreed|happy|sure|comfortable|convinced|going)\b"
    r"|\b(?:don't|do not) think so\b"
    r"|^"
    + FILLER
    + r"(?:stop|wait|hold off|hold on|hang on|pause|halt|abort|cancel|nevermind|never mind(?! (?:the|about|if)\b)|"
    r"forget it|forget that|forget about (?:it|that)|scratch that|leave it|leave that|skip it|skip that|drop it|"
    r"hold it|hold that|"
    r"let me (?:think|check|ask|see)|maybe|perhaps|later)\b"
    r"|\b(?:let you know|get back to you|decide (?:later|tomorrow)|thinking about it|think about it|"
    r"(?:haven't|have not|not) (?:yet )?(?:decided|made up)|"
    r"changed my mind|call it off|hold off|on second thoughts?|i refuse|i decline|i object|"
    r"i disagree|i withdraw|i revoke|rather not|under no circumstances|need to (?:think|check)|"
    r"let me think|no longer want|without my (?:ok|okay|consent|approval|permission)|put (?:it|that|"
    r"this) on hold|call you back|too (?:much|expensive)|please (?:stop|wait|hold|cancel|abort))\b"
    r"|\b(?:auf keinen fall|keinesfalls|unter keinen umständen|bajo ningún concepto|en aucun cas|in nessun caso|"
    r"nicht|niemals|stopp|halt|warte|warten sie|lieber nicht|abbrechen|no lo hagas|espera|"
    r"detente|n'.{1,20} pas|attendez|arrêtez|aspetta|non farlo)\b"
    r"|[\U0001f44e\u274c\u26d4]"
)
CONDITION = re.compile(
    r"\b(?:only if|if|unless|provided|providing|as long as|once|until|till|when|after|before|"
    r"as soon as|subject to|on condition|assuming|falls|wenn|sobald|si(?= \w)|sofern|"
    r"если)\b"
)
LIMIT = re.compile(
    r"(?:\b(?:more than|over|above|exceed(?:s|ing)?|mehr als|más de|más que|plus de|più di|mais de|"
    r"meer dan)\s+[^\d]{0,6}|"
    r"\b(?:under|below|less than|at most|up to|max(?:imum|imal)?(?: of)?|no more than|within|not exceed|"
    r"budget (?:is|of)|höchstens|"
    r"bis zu|como máximo|máximo|hasta|au maximum|maximum|jusqu'à|al massimo|no máximo|hoogstens)\b[^\d]{0,12})"
    r"(?P<bound>\d[\d.,']*(?: \d{3}(?!\d))*)",
    re.IGNORECASE,
)
"""A bound on an amount."""
STRONG: Final = (
    r"yes|yep|yeah|yup|yea|aye|absolutely|totally|for sure|certainly|definitely|of course|agreed|approved|confirmed|"
    r"confirm|confirming|"
    r"i confirm|i hereby confirm|i can confirm|i approve|i authori[sz]e|i agree|i accept|i consent|"
    r"go ahead|go for it|please do|"
    r"do it|do that|do so|do them|"
    r"consider it|do as you|do as \w+ (?:suggest|propose|say)|"
    r"that would be (?:\w+ )?(?:great|good|kind|nice|lovely|perfect|fine|helpful|wonderful)|"
    r"i do (?:confirm|approve|agree|want)|"
    r"go$|proceed|carry on|continue|make it so|let's do|let's go|you may|you can|you have my|"
    r"permission granted|green light|ship it|be my guest|by all means|affirmative|authori[sz]ed|accepted|granted|y|"
    r"ja|jawohl|oui|sí|claro|d'accord|einverstanden|bestätigt|ich bestätige|mach das|"
    r"machen sie das|gerne|bitte|vale|adelante|vas-y|allez-y|va bene|procedi|sim|pode|да|"
    r"好|はい|是"
)
WEAK: Final = (
    r"sure|ok|okay|alright|all right|fine|right|correct|exactly|lgtm|"
    r"(?:sounds|looks) (?:good|great|fine|perfect|right|like a plan)|"
    r"that's fine|that is fine|that works|works for me|"
    r"perfect|great|good|cool|deal|that's (?:right|correct|ok|okay|good)|that is (?:right|correct|ok|"
    r"okay)|happy with that|i'm happy|fine by me|fine with me|all good|kein problem|suits me|why not|"
    r"please$|be so kind"
)
YES_STRONG = re.compile(
    rf"^{FILLER}(?:{STRONG})(?![^\W_])|^i do$|[\U0001f44d\u2705]|"
    r"^(?!.*(?:\bnot\b|\bnever\b|n't\b)).*\b(?:yes|ja|oui)$|\b(?:go ahead|please proceed|"
    rf"you have my (?:ok|okay|consent|approval|permission|blessing|authori[sz]ation)|i (?:hereby )?(?:confirm|"
    rf"approve|authori[sz]e|agree|consent))\b"
)
YES_WEAK = re.compile(
    rf"^{FILLER}(?:{WEAK})(?![^\W_])(?! (?:morning|evening|day|afternoon|night|question|point|idea)\b)"
)
NO_TROUBLE = re.compile(
    rf"^{FILLER}(?:(?:no|kein)\s+(?:problems?|worries|objections?|issues?|concerns?)|pas de (?:souci|problème)s?"
    r"|sin problemas?|no hay problema|kein ding)\b"
)
"""A `no` that agrees."""
TAKES_BACK = re.compile(
    rf"^{FILLER}(?:no|nope|nah|nein|non|stop|wait|hold (?:on|off|it|that)|hang on|halt|abort|"
    r"nevermind|never mind$|forget (?:it|that|about)|scratch that|leave it(?! to)|skip (?:it|that)|maybe not|"
    r"rather not|better not|not (?:yet|now|today|tonight)|let me (?:think|check|ask|see|sleep))"
    r"(?:\s+(?:thanks|please|sorry|not|don't|stop|wait|first|(?:it|that|this|i|i'll|i'd|we|as|about|over|on)\b.*))*$"
    r"|\b(?:changed my mind|call it off|on second thoughts?|i refuse|i decline|i object|i withdraw|i revoke|"
    r"i disagree|under no circumstances|no longer want (?:it|that|this|you)|without my (?:ok|okay|consent|"
    r"approval|permission))\b|\bmyself\b|\bourselves\b"
    r"|\b(?:not|isn't|aren't) (?:\w+ )?(?:approved|authori[sz]ed|confirmed|agreed)\b"
    r"|[\U0001f44e\u274c\u26d4]"
)
"""Clauses that take back a yes of the same turn. Other negations are about other things."""
HESITATES = re.compile(
    r"\b(?:not|isn't|aren't|never) (?:\w+ )?(?:sure|convinced|certain|comfortable)\b|\b(?:let you know|"
    r"get back to you|think about it|think it over|sleep on it|decide (?:later|tomorrow))\b"
    r"|^not (?:before|until|till|earlier|sooner|the|this|all|more|in|on|with|for)\b"
)
"""Clauses that leave a yes of the same turn open."""
PART = re.compile(
    r"\b(?:only|just)\s+(?:for\s+|with\s+)?(?:(?:the|a)\s+(?:first|second|third|last|other|half|part|one|two|bit|"
    r"few)\b|one|two|three|half|part|some|these|those)\b|\b(?:half|part|some|one|two) of (?:it|them|the|this|that)\b"
    r"|^half\b|\bpartly\b|\bpartially\b|\bnur (?:die|den|das|ein\w*) (?:hälfte|erste\w*|teil)\b"
)
"""A part of what was proposed."""
OTHERWISE = re.compile(
    r"\binstead\b(?! of)|\bstattdessen\b|\ben su lugar\b|\bà la place\b"
)
"""Something else than what was proposed."""
TIMES: Final = frozenset(
    {"tomorrow", "later", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "weekend",
     "january", "february", "april", "june", "july", "august", "september", "october", "november", "december",
     "morgen", "mañana", "demain", "domani", "next"}
)  # fmt: skip
"""Words for a later time."""
DOUBTS: Final = re.compile(
    r"^\w+\?$|\b(?:how much|cost|costs|price|fee|fees|total|why|are you sure|is (?:it|that|this|there)|"
    r"refundable|what if|cheaper|instead|other|another|different|which|who)\b"
)
"""Questions that leave a yes open, unlike `Yes. When is breakfast?`."""
