"""Words that the rules know: those that change what a sentence states, and those that a sentence can spare."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ARTICLES: Final = _words("a an the")
NEGATIONS: Final = _words("not no never")
"""Words without which a sentence says the opposite."""
PRONOUNS: Final = _words("it they he she")
TITLES: Final = _words("mr mrs ms dr prof professor sir dame")
WEEKDAYS: Final = _words("monday tuesday wednesday thursday friday saturday sunday")

_CHANGES_MEANING: Final = NEGATIONS | _words(
    """
    without none neither nor nobody nothing hardly barely scarcely fail fails failed lack lacks lacked deny denies
    denied refuse refused refute refuted reject rejected except excluding exclude excludes besides unlike instead
    rather unable false untrue wrong incorrect myth hoax rumour rumor rumoured rumored rumours rumors
    if unless only when whenever whether provided providing otherwise once until till former formerly previously
    may might could would should can will shall must
    say says said claim claims claimed believe believes believed think thinks thought argue argues argued allege
    alleges alleged allegedly report reported reportedly reports suggest suggests suggested expect expects expected
    predict predicts predicted hope hopes hoped plan plans planned propose proposed proposes according supposedly
    purportedly perhaps possibly probably likely unlikely maybe apparently seem seems seemed appear appears appeared
    doubt doubts disputed unverified unconfirmed draft fictional hypothetical some few many most several certain
    partly partially sometimes often occasionally rarely seldom almost nearly about around least most under over
    more less fewer up limited maximum minimum per each every all any both either
    estimate estimated estimates projected provisional preliminary forecast target tentative pending assuming depending
    subject starting beginning reviewed considered supposed intended hope guess opinion version edition
    """
)

_GOVERNS_ALL: Final = _words(
    """
    if unless only when whenever whether except excluding provided otherwise until till once according without
    say says said claim claims claimed believe believes believed think thinks thought argue argues argued alleged
    allegedly reportedly report reported reports suggest suggests suggested expect expects expected predict predicts
    predicted hope hopes hoped propose proposed supposedly perhaps possibly probably maybe apparently seem seems seemed
    would might may deny denies denied doubt doubts disputed that because although though while whereas neither nor
    either or respectively together
    """
)

CONNECTIVES: Final = (
    "additionally",
    "also",
    "as a result",
    "besides",
    "consequently",
    "finally",
    "first",
    "firstly",
    "furthermore",
    "hence",
    "in addition",
    "in brief",
    "in conclusion",
    "in fact",
    "in short",
    "in summary",
    "indeed",
    "lastly",
    "likewise",
    "moreover",
    "note that",
    "of course",
    "overall",
    "please note that",
    "second",
    "secondly",
    "similarly",
    "so",
    "specifically",
    "then",
    "therefore",
    "third",
    "thirdly",
    "thus",
    "to summarise",
    "to summarize",
    "yes",
)
"""What may open a sentence and states nothing."""
OWN_SOURCES: Final = (
    "article|contract|data|document|documents|documentation|evidence|file|guide|guideline|guidelines|handbook|leaflet"
    "|manual|memo|minutes|notice|page|passage|policy|record|records|report|source|sources|summary|text|website"
)
"""What a claim may name as the text it rests on, without saying anything about who is right."""

SPARE_IN_CLAIM: Final = _words(
    "also too therefore thus indeed exactly precisely our your"
)
SPARE_IN_EVIDENCE: Final = SPARE_IN_CLAIM | _words(
    "already currently finally just officially still successfully then now however meanwhile therefore directly"
    " immediately itself themselves himself herself together famously notably eventually subsequently today thereby"
)
SPARE_ADJECTIVES: Final = _words(
    "large big small new modern famous well-known known popular major important historic beautiful local huge tiny"
    " great good significant leading brand brand-new long short wide busy elegant sturdy popular notable"
)
"""Adjectives behind `a` or `an` without which the noun is still right."""
DIMENSIONS: Final = _words("long wide high tall deep thick old heavy")
REPORTING: Final = _words(
    "say say+ed claim claim+ed state state+ed believe believed think thought argue argued report report+ed find find+ed"
    " show show+ed expect expect+ed confirm confirm+ed note know know+ed announce announce+ed"
)
"""Verbs behind which `that` can be left out."""
SPARE_GERUNDS: Final = _words("making bringing giving leaving becoming")
NUMBERED: Final = _words(
    "version release section clause article chapter paragraph appendix figure table room gate platform line"
)
"""Words behind which a number is a name: version 2.10 is not version 2.1."""
RELATIVES: Final = _words("which who where whose whom")
REASONS: Final = _words("because owing due thanks")
POSSESSIVES: Final = _words("its his her their")
GENERIC_LABELS: Final = _words(
    "note policy rule return refund delivery shipping opening hour fee price summary answer fact info warning important"
    " notice tip result conclusion location payment contact address overview detail general section chapter article"
    " faq terms description"
)
"""Labels in front of a sentence (`Returns: ...`) that set nothing apart."""
SPARE_PARTICIPLES: Final = _words(
    "based located situated founded built born known named called headquartered established"
)
PREPOSITIONS: Final = _words(
    "in on at by for from with without to of into onto during within under over through between among against after"
    " before since until till about around near per via across along behind beyond despite except following inside"
    " outside toward towards upon than as like"
)
SCOPING: Final = _words("for with without in on during among under")
"""Prepositions whose phrase may belong to all parts of a sentence."""
SUBORDINATORS: Final = _words(
    "if when whenever unless because although though while whereas since as once until after before given provided"
)

SAME_WORDS: Final = MappingProxyType(
    {
        "is": "be", "are": "be", "am": "be", "was": "was", "were": "was", "has": "have", "does": "do",
        "each": "every", "per": "every", "film": "movie", "physician": "doctor", "automobile": "car", "e-mail": "email",
        "telephone": "phone", "purchase": "buy", "begin": "start", "commence": "start", "assist": "help",
        "purchased": "buy+ed", "commenced": "start+ed", "assisted": "help+ed", "mobile": "mobile", "vs": "versus",
        "centre": "center", "colour": "color", "programme": "program", "licence": "license", "organisation":
        "organization", "labour": "labor", "theatre": "theater", "grey": "gray", "cheque": "check", "whilst": "while",
        "amongst": "among", "until": "until", "till": "until", "roughly": "about", "kids": "children", "holiday":
        "holiday", "approx": "about", "st": "street", "tyre": "tire", "harbour": "harbor", "aluminium": "aluminum",
        "1st": "first", "2nd": "second", "3rd": "third", "4th": "fourth", "5th": "fifth", "6th": "sixth",
        "7th": "seventh", "8th": "eighth", "9th": "ninth", "10th": "tenth", "max": "maximum", "min": "minimum",
        "whom": "who", "upon": "on", "shall": "must", "acquire": "buy", "acquired": "buy+ed", "equal": "equal",
    }
)  # fmt: skip
"""One spelling for words that mean the same in every sentence."""

MADE_ONCE: Final = _words(
    "found+ed build+ed establish+ed open+ed inaugurate+ed invent+ed create+ed discover+ed design+ed write+ed compose+ed"
    " paint+ed direct+ed"
)
"""Verbs of a passive that is still right without its agent: what was built by somebody was built."""
ONCE_ONLY: Final = _words(
    """
    found+ed born build+ed establish+ed open+ed sign+ed complete+ed inaugurate+ed publish+ed introduce+ed discover+ed
    invent+ed create+ed form+ed abolish+ed demolish+ed die+ed launch+ed incorporate+ed adopt+ed ratify+ed dissolve+ed
    expire end start begin commission+ed begin+ed start+ed
    """
)
"""What happens once to a thing: two dates of it cannot both be right."""

_VERBS: Final = _words(
    """
    abolish accept accrue achieve acquire acquit add administer admit adopt affect agree allow amend announce answer
    appeal appear apply appoint approve archive arrange arrest arrive ask assign assist attend attract audit average
    award back bake ban base become begin belong bill block board boil book border borrow break breathe bring
    broadcast build burn bury buy calculate call cancel carry cause change charge check choose claim clean clear climb
    close collapse collect come commission compete complete compose conduct configure confirm connect consist contain
    continue control convict cook cost cover create credit cross cut damage date deal decide declare decline deduct
    defeat defend delete deliver demolish deny depart depend deploy derive describe deserve design destroy detect
    develop diagnose die differ direct discharge discover dismiss dispatch dissolve distribute divide divorce download
    drive drop earn eat elect email employ enact encrypt end enjoy enrol enroll enter equal erupt establish estimate
    examine exceed exclude expire explain export extend face fail fall feature feed file fill finance find finish fire
    fix flood flow fly follow forbid form found freeze fund gain generate get give go govern grade graduate grant grow
    handle happen have head heal hear heat help hire hold host house import improve inaugurate include incorporate
    increase infect inform inherit inspect install introduce invent invest invite invoice issue join keep kill know
    land lapse last launch lead learn leave lend let license lie limit link list live load lock lose lower mail
    maintain make manage manufacture mark marry mature measure meet melt merge migrate monitor move name need nominate
    notify number occur offer open operate orbit order organise organize overlook owe own pack paint park pass pay
    perform permit phone place plan play post prefer prescribe print process produce prohibit promote protect prove
    provide publish purchase put qualify quote race rain raise range rate ratify reach read receive recommend record
    recover reduce refund refuse register reimburse reject release rely remain remove rename renew rent repair repeal
    replace report represent require reserve resign restore result resume retire return review ride rise rule run sail
    save say scan schedule score secure see sell send sentence separate serve settle share shine ship show sign sit
    snow solve sort span speak spend sponsor stand start state stay stem stock stop store stretch study submit sue
    suffer supply support surround suspend swim take teach tell terminate test testify text tie total train transfer
    translate travel treat turn unload unlock update upgrade upload use vaccinate validate vary verify visit vote wait
    accommodate admire assess beat benefit boost borrow bound breed build calculate catch chair circulate coach collide
    combine commemorate compile contact contribute convert cool cultivate curate dance decorate dedicate depict deposit
    dig dine draw drink dry educate employ encourage engage engrave equip escort evacuate exhibit expand experience
    explore facilitate feel fight forward graze guard guarantee guide hang harvest hatch hit hurt illustrate inhabit
    inject insert insure integrate invade isolate justify kick lay lift lower mature mention mix mow multiply neutralize
    nurture obtain occupy oversee oppose outlaw pour practice predate press pump punish purify raid rebuild recruit
    redesign refurbish rehearse reject relocate remind renovate reopen rescue reside restrict reveal ripen roast rotate
    sample sanction seat select sew shelter shoot shut sing sink sleep slide smell sow spin spray spread steal steer
    stir strengthen strike submit subsidize suffer sum supervise supply surpass sweep swing tackle taste tax tear tend
    command interpret moor patrol prune tune
    throw tow trace trade trigger trim triple turn unveil vacate water weave weld widen
    walk want warn wear weigh welcome win withdraw work wrap write yield
    """
)
_IRREGULAR: Final = """
    become became become; begin began begun; break broke broken; bring brought brought; build built built; buy bought
    bought; choose chose chosen; come came come; cut cut cut; deal dealt dealt; do did done; drive drove driven; eat ate
    eaten; fall fell fallen; feed fed fed; find found found; fly flew flown; forbid forbade forbidden; get got got; give
    gave given; go went gone; grow grew grown; hear heard heard; hold held held; keep kept kept; know knew known; lead
    led led; leave left left; lend lent lent; lose lost lost; make made made; meet met met; pay paid paid; run ran run;
    beat beat beaten; catch caught caught; draw drew drawn; drink drank drunk; feel felt felt; fight fought fought;
    hang hung hung; hit hit hit; lay laid laid; set set set; sing sang sung; sink sank sunk; sleep slept slept;
    shoot shot shot; shut shut shut; spread spread spread; steal stole stolen; strike struck struck; sweep swept swept;
    swim swam swum; throw threw thrown; rebuild rebuilt rebuilt; oversee oversaw overseen; overcome overcame overcome;
    say said said; see saw seen; sell sold sold; send sent sent; sit sat sat; speak spoke spoken; spend spent spent;
    stand stood stood; take took taken; teach taught taught; tell told told; wear wore worn; win won won; withdraw
    withdrew withdrawn; write wrote written; rise rose risen; lie lay lain; show showed shown; prove proved proven
    """
_FINITE_HELPERS: Final = _words(
    "be was have had do did can could will would may might must shall should"
)


def _past_forms() -> dict[str, str]:
    forms: dict[str, str] = {}
    for row in _IRREGULAR.split(";"):
        base, past, participle = row.split()
        for form in {past, participle} - {base}:
            forms[form] = f"{base}+ed"
    for verb in _VERBS:
        regular = f"{verb}d" if verb.endswith("e") else f"{verb}ed"
        forms.setdefault(regular, f"{verb}+ed")
        if verb.endswith("y") and verb[-2] not in "aeiou":
            forms[f"{verb[:-1]}ied"] = f"{verb}+ed"
        forms.setdefault(f"{verb}{verb[-1]}ed", f"{verb}+ed")
    # A town is founded, and a key is found.
    forms["founded"], forms["found"] = "found+ed", "find+ed"
    return forms


PAST_FORMS: Final = MappingProxyType(_past_forms())
"""The past and the participle of verbs: `wrote` and `written` are `write+ed`."""


def is_verb(key: str) -> bool:
    """Whether a word's key is that of a finite verb."""
    return key in _FINITE_HELPERS or key.endswith("+ed") or key in _VERBS


def past_of(base: str) -> str:
    """The key of the past of a verb in its base form."""
    return f"{base}+ed" if base in _VERBS else ""


def present_of(past: str) -> str:
    """The key of the present of a verb, from that of its past."""
    return past.removesuffix("+ed")


def singular(word: str) -> str:
    """A word without the `s` of a plural or of `he works`."""
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("ches", "shes", "xes", "sses", "zzes")):
        return word[:-2]
    return word[:-1]


def _as_keys(words: frozenset[str]) -> frozenset[str]:
    """Words, and the keys that tokens have in their place: `said` is `say+ed`."""
    keys = set(words)
    for word in words:
        keys.add(PAST_FORMS.get(word, word))
        keys.add(SAME_WORDS.get(word, word))
        keys.add(SAME_WORDS.get(singular(word), singular(word)))
    return frozenset(keys)


CHANGES_MEANING: Final = _as_keys(_CHANGES_MEANING)
"""A phrase that holds one of these is never left out of a sentence."""
GOVERNS_ALL: Final = _as_keys(_GOVERNS_ALL)
"""A sentence that holds one of these is not taken apart: the word may be about all of its parts."""
