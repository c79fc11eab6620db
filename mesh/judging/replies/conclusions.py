"""How a judge states its conclusion in its reason: patterns over text in small letters, in four languages. Pure data.

A group `word` is the conclusion, a group `not` turns it round; a rule without `word` says the same in every match.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Final, NamedTuple

from judgemesh.contracts.opinions import Vote

WORDS: Final[Mapping[str, Vote]] = {
    **dict.fromkeys(("yes", "affirmative", "true", "ja", "oui", "sí"), Vote.YES),
    **dict.fromkeys(("no", "negative", "false", "nein", "non"), Vote.NO),
    **dict.fromkeys(
        ("cannot_assess", "cannot assess", "cannot-assess"), Vote.CANNOT_ASSESS
    ),
}


class Rule(NamedTuple):
    """A pattern, texts of which one stands in each of its matches, and what a match says that has no `word`.

    To look for the texts takes far less time than to search the pattern, which is compiled when one is found.
    """

    needed: tuple[str, ...]
    pattern: str
    says: Vote = Vote.YES

    def matches(self, text: str) -> Iterable[re.Match[str]]:
        """The matches in a text."""
        for needed in self.needed:
            if needed in text:
                return _compiled(self.pattern).finditer(text)
        return ()

    def vote(self, match: re.Match[str]) -> Vote:
        """What a match states."""
        groups = match.groupdict()
        word = groups.get("word")
        vote = self.says if word is None else WORDS[word]
        return OPPOSITE[vote] if groups.get("not") else vote


OPPOSITE: Final = {
    Vote.YES: Vote.NO,
    Vote.NO: Vote.YES,
    Vote.CANNOT_ASSESS: Vote.CANNOT_ASSESS,
}


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _any(*words: str) -> str:
    return f"(?:{'|'.join(words)})"


_BEGINS: Final = r"(?:^|(?<=[.!?;:] )|(?<=\()|(?<=\n)|(?<= - ))"
"""The beginning of a sentence or of a line."""
_WORD: Final = (
    r"[\"']{0,3}(?:a |an |in the |with )?(?:clear |definite |firm )?[\"']{0,3}"
    rf"(?P<word>{'|'.join(sorted(WORDS.keys() - {'true', 'false'}))})"
    # "so no evidence was given", "the answer is no lift": not a conclusion.
    r"(?=[\"']{0,3}(?: ?[.!;,:)]| ?$|\n| - | (?:because|since|as|given|due|based|here|and|but)\b))"
)
_SO_WORDS: Final = (
    *("therefore", "thus", "hence", "consequently", "accordingly", "so", "ergo"),
    *("in conclusion", "to conclude", "overall", "in short", "in sum"),
    *("daher", "somit", "also", "folglich", "deshalb"),
    *("donc", "par conséquent", "por lo tanto", "por tanto", "así que"),
)
SO: Final = rf"\b{_any(*_SO_WORDS)}\b"
_LABELS: Final = (
    *("answer", "verdict", "conclusion", "result", "decision", "judgment", "judgement"),
    *("antwort", "urteil", "fazit", "ergebnis"),
    *("réponse", "respuesta", "conclusión", "veredicto"),
)
_HENCE: Final = r"(?:therefore|thus|hence|then)"
_IS: Final = (
    rf"(?:'s|,? (?:{_HENCE},? )?(?:is|must be|should be|has to be|can only be|remains|becomes|would {_HENCE} be))"
    rf"(?: {_HENCE}| clearly| simply| still)*[:,]? "
)
_MEANT: Final = (
    r"(?: to (?:the|this|that) question| here| to whether [^.;!?\n]{1,120}?)?"
)
_OF_QUESTION: Final = r"(?: asked (?:about|for)| (?:of|in) (?:the|this) question)"
_ADVERBS: Final = r"(?:clearly |fully |strictly |therefore |thus |hence |also )*"
_IS_MET: Final = (
    rf"{_ADVERBS}(?P<not>not |never )?(?:been )?{_ADVERBS}(?:met|satisfied|fulfilled)\b"
)
_CRITERION: Final = r"(?:the|this|that) (?:stated |given )?criteri(?:on|a)"
_ALONE: Final = r"\b(?! (?:for|of(?! the question)|in(?! the question| question| full)|that|from)\b)"
"""Not a criterion of somebody's policy."""

ANSWER: Final = re.compile(
    rf"\b(?:{'|'.join(sorted(WORDS.keys() - {'true', 'false'}))})\b"
)
"""One of these words stands in each match of the rules about the question."""
QUESTION: Final = (
    Rule(
        (":", "=", " -"),
        rf"{_BEGINS}(?:so |thus |hence )?(?:my |the )?(?:final |overall |correct )?{_any(*_LABELS)} ?[:=-]+ ?{_WORD}",
    ),
    Rule(
        ("answer", "verdict", "conclusion", "response"),
        r"\b(?:the|my) (?:(?:correct|right|only|appropriate|proper|final|overall) )*"
        r"(?:answer|verdict|conclusion|(?<=correct )response|(?<=right )response|(?<=appropriate )response)"
        rf"{_MEANT}{_IS}{_WORD}",
    ),
    Rule(
        _SO_WORDS,
        rf"{SO}[,:]? (?:(?:it|this|that) is |it's |the answer |verdict |(?:i|we) (?:answer|say|conclude|vote) )?"
        rf"(?:with )?[:,]? ?{_WORD}",
    ),
    Rule(
        ("right", "correct", "appropriate", "only", "final"),
        r"(?P<word>\b(?:yes|no|cannot[_ -]assess))\b[\"']{0,3} is (?:therefore |thus )?(?:the |my )?"
        r"(?:right|correct|appropriate|only|final)(?: answer| verdict| response)?(?= ?(?:[.!;,:)]|$))",
    ),
    Rule(
        ("mak", "render"),
        rf"\b(?:making|makes|rendering|renders) (?:the answer|the verdict|this|it|that){_MEANT} {_WORD}",
    ),
    Rule(
        ("i ", "we ", "i'"),
        r"\b(?:i|we)(?: am|'m| are|'re| would|'d| must| will| have to| can only| therefore| thus| hence)* "
        r"(?:answer|say|conclude|vote|respond|go with|answering|concluding|voting|going with)"
        rf"(?: that the answer is| with)?[:,]? {_WORD}",
    ),
    Rule(
        ("->", "=>"),
        rf"[-=]> ?(?:the )?(?:final )?(?:answer|verdict)?(?: is)? ?[:=]? ?{_WORD}",
    ),
    Rule(
        ("question",),
        r"\bquestion (?:is|must be|should be|has to be|can be|can only be)(?: therefore| thus)?(?: to be)? "
        rf"answered (?:by )?[:,]?{_WORD}",
    ),
    Rule(
        ("antwort", "urteil"),
        r"\b(?:(?:die|meine) antwort (?:lautet|ist)|(?:lautet|ist) (?:die antwort|mein urteil))"
        rf"(?: auf die frage)?(?: daher| somit| also)*:? {_WORD}",
    ),
    Rule(
        ("réponse", "respuesta"),
        r"\b(?:la réponse(?: à la question)? est|la respuesta(?: a la pregunta)? es)"
        rf"(?: donc|,? por (?:lo )?tanto,?)?:? {_WORD}",
    ),
)
CRITERION: Final = (
    Rule(
        ("criteri", "condition", "requirement"),
        rf"\b(?:{_CRITERION}|(?:the|this|that) (?:condition|requirement)s?{_OF_QUESTION}) "
        rf"(?:is|are|was|were|has|have) {_IS_MET}",
    ),
    Rule(
        ("condition", "requirement"),
        rf"\b(?:the|this|that) (?:condition|requirement)s? (?:is|are) {_IS_MET}",
    ),
    Rule(
        ("criteri",),
        rf"{_BEGINS}criteri(?:on|a) (?:(?:is|are) )?{_IS_MET}",
    ),
    Rule(
        ("criteri", "what the question asks", "what is asked"),
        r"(?P<not>\b(?:do not|does not|did not|not|cannot|never|fails? to|failed to|failing to) )?"
        rf"{_ADVERBS}\b(?:meet|met|meets|meeting|satisf(?:y|ies|ied|ying)|fulfil(?:l|ls|s|led|ling)?) "
        rf"(?:{_CRITERION}|what (?:the question asks|is asked)){_ALONE}",
    ),
    Rule(
        ("criteri",),
        rf"\b(?:{_CRITERION} (?:(?:is|remains) (?:unmet|unsatisfied|unfulfilled|violated)|fails)"
        rf"|(?:fails|violates|misses) {_CRITERION}{_ALONE})",
        Vote.NO,
    ),
    Rule(
        ("kriterium",),
        rf"(?:\bdas kriterium (?:ist|wird|wurde)|\b(?:ist|wird|wurde) das kriterium|{_BEGINS}kriterium) "
        r"(?:daher |somit |also )?(?P<not>nicht )?(?:klar |vollständig )?(?:erfüllt|eingehalten)\b",
    ),
    Rule(
        ("critère",),
        rf"(?:\ble critère (?:n')?est|{_BEGINS}critère) "
        r"(?:donc )?(?P<not>pas |non )?(?:donc )?(?:rempli|satisfait|respecté)\b",
    ),
    Rule(
        ("criterio",),
        r"\b(?P<not>no )?(?:se )?cumple el criterio\b",
    ),
    Rule(("criterio",), r"\bel criterio (?P<not>no )?se cumple\b"),
)
"""Whether what was asked for is so."""
CLAIM: Final = (
    Rule(
        ("the claim",),
        r"\bthe claim(?: above| made)? "
        r"(?:is|must be|is therefore|is thus|is clearly|is indeed) (?P<not>not )?(?P<word>true|false)\b",
    ),
    Rule(
        ("therefore", "thus", "hence", "so"),
        r"\b(?:therefore|thus|hence|so),? (?:the claim|it) is (?P<not>not )?(?P<word>true|false)\b",
    ),
)
"""The same where what was asked is whether a claim is true."""

_TO_TELL: Final = _any(
    *("determine", "assess", "tell", "decide", "say", "judge", "verify", "answer"),
    *("establish", "settle"),
)
_TOLD: Final = _any(
    *("determined", "assessed", "settled", "decided", "answered", "established"),
    *("verified", "judged", "told", "confirmed"),
)
_RECORD: Final = r"(?:record|evidence|trace|transcript|log|material|materials)"
_ENOUGH: Final = r"(?:not (?:enough|sufficient)|insufficient|too little)"
_KNOWN: Final = r"(?:evidence|information|info|detail|data)"
UNSETTLED: Final = (
    Rule(
        ("cannot be",),
        rf"\b(?:it|this|that|the question|(?:^|(?<=[.!?;,] ))whether [^.;,\n]{{1,120}}?) cannot be {_TOLD}\b",
        Vote.CANNOT_ASSESS,
    ),
    Rule(
        ("impossible", "not possible"),
        rf"\b(?:it is|it's) (?:impossible|not possible) to {_TO_TELL}\b",
        Vote.CANNOT_ASSESS,
    ),
    Rule(
        (
            "not enough",
            "not sufficient",
            "insufficient",
            "too little",
            "not contain",
            "not provide",
        ),
        rf"\b(?:{_ENOUGH} {_KNOWN}(?: is (?:given|shown))?(?: (?:in|from) the {_RECORD})? to"
        rf"|{_RECORD}(?: shown| given)? (?:is|are) {_ENOUGH} to"
        rf"|{_RECORD} (?:does|do) not (?:contain|give|show|hold|provide) (?:enough|sufficient) {_KNOWN} to) "
        rf"{_TO_TELL}\b",
        Vote.CANNOT_ASSESS,
    ),
    Rule(
        ("unable to", "cannot", "not able to"),
        rf"(?:\b(?:i|we)(?: am|'m| are|'re)? |{_BEGINS})(?:unable to|not able to|cannot) {_TO_TELL}\b",
        Vote.CANNOT_ASSESS,
    ),
    Rule(
        ("settle", "information on this"),
        rf"\b(?:{_RECORD}(?: (?:i was |we were )?shown)? (?:does|do) not settle (?:this|that|the question)"
        rf"|nothing in the {_RECORD} settles"
        rf"|{_RECORD} gives? no information on (?:this|that))\b",
        Vote.CANNOT_ASSESS,
    ),
    Rule(
        ("nicht",),
        r"\b(?:(?:das|dies|es|die frage) (?:lässt sich|kann) (?:[^.;,\n]{0,40} )?nicht "
        r"(?:feststellen|beurteilen|entscheiden|bestimmen|beantworten"
        r"|(?:beurteilt|festgestellt|entschieden|beantwortet|bestimmt) werden))\b",
        Vote.CANNOT_ASSESS,
    ),
    Rule(
        ("permet", "impossible de", "on ne peut"),
        r"\b(?:ne permet(?:tent)? pas|il est impossible|on ne peut pas)(?: de)? "
        r"(?:déterminer|conclure|juger|trancher|savoir|répondre)\b",
        Vote.CANNOT_ASSESS,
    ),
    Rule(
        ("no se puede", "no es posible"),
        r"\bno (?:se puede|es posible) (?:determinar|evaluar|saber|decidir|juzgar|responder)\b",
        Vote.CANNOT_ASSESS,
    ),
)
"""That the record does not settle the question."""
