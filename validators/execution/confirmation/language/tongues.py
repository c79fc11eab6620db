"""Plain agreement and refusal in the languages that the rules know, and the words by which a language is recognised.

Statements are read in English, German, French and Spanish (`READ`). Of other languages only a plain yes, a plain no and
courtesies are known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

PLAIN_YES: Final = (
    # German, Dutch
    r"ja|jo|jawohl|von mir aus|meinetwegen|passt schon|passt so|alles klar|mach mal|mach nur|kannst du (?:gern |"
    r"ruhig )?machen|können sie (?:gern |ruhig )?machen|geht in ordnung|mach ruhig|nur zu|klar|natürlich|"
    r"selbstverständlich|einverstanden|in ordnung|geht klar|sicher|unbedingt|"
    r"bestätigt|gern|gerne|passt|genau|ganz genau|stimmt|jazeker|zeker|graag|akkoord|prima|doe maar|ga uw gang|"
    r"ga je gang|"
    r"natuurlijk|uiteraard|"
    # French, Spanish
    r"oui|ouais|ça marche|ca marche|ça roule|ça me va|ça nous va|vas-y|allez-y|carrément|pas de souci|pas de problème|"
    r"sin problema|me parece bien|por mí bien|por mí|órale|"
    r"si|bien sûr|d'accord|volontiers|entendu|c'est bon|c'est d'accord|tout à fait|absolument|certainement|"
    r"avec plaisir|exactement|parfait|super|très bien|muy bien|sí|claro|claro que sí|de acuerdo|vale|por supuesto|"
    r"está bien|conforme|correcto|"
    r"exacto|perfecto|desde luego|bueno|adelante|dale|hazlo|hágalo|"
    # Italian, Portuguese
    r"sì|certo|certamente|va bene|d'accordo|volentieri|procedi|proceda|sicuro|esatto|sim|claro que sim|com certeza|"
    r"está bem|tá bom|pode ser|pode|de acordo|confirmo|combinado|"
    # Scandinavian, Finnish, Hungarian, Czech
    r"jada|visst|visst|okej|självklart|gärna|absolut|selvfølgelig|selvsagt|naturligvis|javisst|javist|gör det|"
    r"gjør det|jep|kyllä|"
    r"joo|igen|rendben|ano|jistě|souhlasím|"
    # Polish, Turkish
    r"tak|poproszę|oczywiście|zgoda|dobrze|jasne|zgadzam się|"
    r"evet|tamam|olur|tabii|tabii ki|elbette|onayl\u0131yorum|peki|"
    # Russian, Ukrainian, Greek, Arabic, Hebrew
    r"да|конечно|хорошо|согласен|"
    r"согласна|так|\u03bd\u03b1\u03b9|نعم|כן|"
    # Japanese, Chinese, Korean
    r"はい|ええ|うん|了解(?:です|しました)?|承知(?:しました)?|"
    r"(?:よろしく)?お願い(?:します|いたします)|もちろん(?:です)?|"
    r"どうぞ|そうしてください|"
    r"好|好的|好啊|可以|是|是的|对|行|没问题|同意|确认|当然|"
    r"네|예|응|좋아요|그래요|물론이죠|부탁(?:해요|드립니다)|해\s?주세요|"
    r"동의합니다"
)
PLAIN_NO: Final = (
    r"nein|nee|nö|auf keinen fall|auf gar keinen fall|keinesfalls|bloss nicht|bloß nicht|lieber nicht|besser nicht|"
    r"bitte nicht|"
    r"doch nicht|lass mal|lassen sie das|liever niet|beter niet|niet doen|"
    r"non|surtout pas|pas du tout|jamais|pas question|certainement pas|mieux vaut pas|enfin non|mejor no|"
    r"de ninguna manera|"
    r"en absoluto|para nada|meglio (?:di )?no|anzi no|assolutamente no|não|melhor não|de jeito nenhum|"
    r"nej|nei|helst inte|helst ikke|ei|nem|ne|nie|jednak nie|lepiej nie|hay\u0131r|vazgeçtim|istemiyorum|"
    r"нет|ні|не надо|лучше не надо|όχ\u03b9|لا|לא|"
    r"いいえ|いや|だめ(?:です)?|(?:やはり|やっぱり)?やめて(?:ください)?|"
    r"不|不要|不行|不是|别|不用了?|算了|아니요|아니오|아뇨|안 돼요"
)
_THANKS: Final = (
    r"(?:danke|merci|gracias|grazie|obrigad[oa]|bedankt|dank (?:u|je)|tack|takk|tak|dziękuję|teşekkürler|"
    r"teşekkür ederim|спасибо|bitte|por favor|lass mal)"
)
REFUSES: Final = re.compile(
    rf"^(?:{PLAIN_NO}|no)(?:\s(?:{_THANKS}|{PLAIN_NO}|no))*$|^no (?:lo|la|los|las) \w+$|^non (?:lo|la|li|le) \w+$|"
    rf"^(?:\w+ )?silmeyin$"
)
"""A clause that is a plain no."""
AGREES: Final = re.compile(
    rf"^(?:(?:dann|also|na|nun|alors|pues|entonces|allora|então|dan|då|じゃあ) )*(?:{PLAIN_YES})(?![^\W_])"
)
"""A clause that begins with a plain yes."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


HARMLESS_WORDS: Final = _words(
    # English
    "yes yep yeah yup yea aye ok okay okey sure certainly definitely absolutely agreed approved approve confirmed"
    " confirm confirming"
    " authorised authorized authorise authorize accepted accept granted go ahead proceed carry continue do it that"
    " so them this"
    " these those please pls plz thanks thank thx cheers mate you u very much many a lot again for your help great"
    " good perfect"
    " fine right correct exactly well oh ah hi hello hey hmm um and now immediately straight away asap today indeed"
    " course of"
    " all both everything every the is are sounds looks works me i am i'm i'd my to be would will can may it's"
    " that's exactly"
    " let's lets us just also too wonderful lovely kind kindly nice excellent awesome super cool alright gladly"
    " happily surely true"
    " consider as planned proposed suggested described agreed discussed said thing things sir madam dear team"
    " pleasure alrighty bye goodbye regards best kill hurry quickly quick make unfortunately sadly number enough no"
    " problem problems"
    " worries objection objections whatsoever on with by from our us at rest part my side if's way means then"
    " actually finally y"
    " most euros dollars dollar pounds usd eur chf gbp francs yen really totally completely fully read understood"
    " have one hundred percent per cent permission have"
    " what want i've more than most limit exceed up under below over above max maximum within less of sorry pardon"
    " lgtm"
    " use out"
    # German, Dutch
    " ja jo jawohl kannst von mir aus meinetwegen schon ruhig klar natürlich selbstverständlich einverstanden"
    " ordnung in"
    " geht sicher unbedingt bestätigt gern"
    " gerne passt"
    " leider gell genau ganz stimmt bitte danke vielen lieben dank schön schöne schönen sehr machen mach sie du das"
    " es ihn den"
    " die der"
    " weg damit sofort ihnen mit"
    " gleich jetzt alles für ihre deine hilfe grüße freundliche los gut super prima perfekt ich bestätige"
    " stimme zu auf höchstens maximal bis zu genau alle tun auch so weitermachen dann also nun können kann dürfen"
    " entschuldigung euro"
    " hoor jazeker zeker graag het hem haar ze maar nog akkoord doe maar ga uw je gang natuurlijk uiteraard dank u"
    " wel bedankt alstublieft"
    " alsjeblieft hartelijk"
    # French, Spanish
    " oui ouais marche ça ca roule va me nous souci carrément s'il te plaît bien sûr d'accord volontiers entendu"
    " c'est bon tout à fait absolument certainement avec plaisir"
    " exactement merci"
    " malheureusement vous pouvez tu peux beaucoup pour votre ton aide bonne journée allez-y allez y vas-y vas"
    " faites-le fais-le faites fais le la les"
    " l' très parfait"
    " confirme je"
    " sí si venga mí parece órale claro que de acuerdo vale por supuesto está bien conforme correcto exacto"
    " perfecto desde luego bueno"
    " adelante dale"
    " hazlo hágalo favor gracias muchas muy amable con su tu ayuda ya ahora mismo todo los las lo todos todas y"
    " buen día un saludo"
    " puede puedes podéis pueden desgraciadamente confirmo hágalas eso es journée alors pues entonces bien"
    # Italian, Portuguese
    " sì certo certamente va bene d'accordo volentieri procedi proceda pure sicuro esatto grazie mille prego per"
    " favore"
    " lo la li le può puoi sim com certeza tudo bem tá bom pode ser acordo combinado obrigado obrigada muito o"
    " obrigadíssimo fazer"
    # Scandinavian, Finnish, Hungarian, Czech
    " jada visst okej självklart gärna absolut selvfølgelig selvsagt naturligvis javisst javist kyllä joo igen"
    " rendben ano"
    " jistě souhlasím tack så mycket tak takk mange tusen kiitos köszönöm kérem děkuji prosím venligst"
    # Polish, Turkish
    " oczywiście zgoda dobrze jasne zgadzam się proszę poproszę gör gjør det jep dziękuję bardzo dzięki"
    " evet tamam olur tabii ki elbette onayl\u0131yorum peki lütfen teşekkürler teşekkür ederim çok sağolun"
    # Russian, Ukrainian, Greek, Arabic, Hebrew
    " да конечно хорошо согласен согласна"
    " так пожалуйста спасибо большое \u03bd\u03b1\u03b9 نعم כן"
    # Japanese, Chinese, Korean
    " はい ええ うん 了解 了解です 了解しました 承知しました お願いします お願いいたします"
    " よろしくお願いします よろしくお願いいたします もちろん もちろんです どうぞ"
    " そうしてください ありがとう ありがとうございます"
    " 好 好的 好啊 可以 是 是的 对 行 没问题 同意 确认 当然 谢谢 谢谢您 谢谢你"
    " 네 예 응 좋아요 그래요 물론이죠 부탁해요 부탁드립니다 해주세요 주세요 해 동의합니다"
    " 감사합니다"
)  # fmt: skip
"""Words of agreement, thanks, courtesy and haste: they change nothing of a yes."""
SUBJECTS: Final = _words(
    "i we you he she it they this that these those there my our your his her its their the nobody everybody"
    " everyone everything"
    " nothing a an i'm i've i'd we're we've we'd you're it's that's there's they're he's she's what all another"
    " none both no"
    " ich wir er sie es das der die mein meine unser unsere niemand alles diese dieser da"
    " je j'ai j' nous il elle ils elles on c'est c' ça ce cela cet cette le la les mon ma mes notre personne tout c"
    " yo nosotros él ella el los las mi mis nuestro nuestra es está estoy era fue son ya esto eso hay tengo"
    " tenemos todo fue estuvo"
    " nadie"
)
"""Words with which a statement begins in the languages that are read."""
_VERBS: Final = _words(
    "is are was were be been has have had do does did will would can could may might must should isn't aren't wasn't"
    " don't doesn't didn't won't can't hasn't haven't came come comes got get gets went goes go made makes gave gives"
    " took takes left broke breaks fell said says told tells knows know wants want needs need works agrees agree costs"
    " cost runs ran sent sold bought lost found began ended became felt paid put cut let met saw read rang sounds"
    " looks seems helps means fits suits moved expires ends belongs died dies lives likes loves makes gehört fällt"
    " kommt steht"
    " ist sind war waren hat haben hatte wird werden kann passt stimmt geht läuft braucht will weiß gilt wurde"
    " klingt sieht reicht lohnt wartet fehlt braucht"
    " est sont était a ont avait va vont peut sera fait es está son están era fue ha han tiene va puede será hay"
)
"""Forms of verbs that are frequent in statements."""


def has_verb(words: Iterable[str]) -> bool:
    """Whether one of the words, in small letters, looks like the verb of a statement."""
    return any(
        word in _VERBS
        or word.partition("'")[2] in {"s", "re", "ve", "ll"}
        or (word.endswith("ed") and len(word) > 4)
        for word in words
    )


READ: Final = ("en", "de", "fr", "es")
"""The languages whose statements are read."""
_FREQUENT: Final = {
    "en": _words(
        "the is are was were it's i'm i i'd i've you your yours my mine our we they their he his she him what how"
        " why where when who"
        " which please thanks thank and to of for with from this that these those there here have has had need want"
        " would could should"
        " can will do does did don't doesn't didn't isn't aren't can't won't not no yes about how's what's tell"
        " show give just like"
        " more some any very much also another other first last help know think see get let make new old good it be"
        " been by at on but"
        " if or as so out up hello hi hey sorry maybe perhaps later hmm still never always only today tomorrow"
        " already all them us"
        " that's you're we're they're her because nobody yesterday too shall may must your want okay sure"
    ),
    "de": _words(
        "ich du wir ihr sie es der die das den dem ein eine einen und oder nicht ist sind war bitte mir mich mit"
        " von zu für auf mein"
        " unser haben hat habe kann können möchte noch schon doch aber wenn nur ihn bin mehr er alles niemand"
        " brauche brauchen ja"
    ),
    "fr": _words(
        "je j'ai tu il elle nous vous les des une est sont pas que qui dans pour avec sur mais ce cette mon ma"
        " votre notre s'il merci de"
        " du la le c'est n'en ai plus suis ne l' d' n' j' s' c' m' qu' oui on en un à et"
    ),
    "es": _words(
        "yo tú usted el los las un una es son no por para con pero que en mi su lo se de la al del a ya está estoy"
        " sí y ella muy nos"
        " nosotros ha hemos he"
    ),
    "it": _words(
        "il lo la gli le una che per con non sono è di del della nel si ma se prima un mi ci questo quello deve"
        " anche io lui lei sì ho"
        " ha abbiamo e"
    ),
    "pt": _words(
        "o a os as um uma não com em do da por eu você ele ela que de se mas no na meu minha é está sim antes e tem"
        " isso"
    ),
    "nl": _words(
        "ik je u het een de en niet van voor met hem haar wij we zijn is op te nog maar ook die dat alles na eerst"
        " als moet heb heeft er ja"
        " wel naar geen"
    ),
    "nordic": _words(
        "jag jeg och og att at inte ikke det den de som med av af til till er är på vi har en et ett men om för for"
        " ja hvis skal ska"
        " må du din han hun hon"
    ),
    "slavic": _words("nie się jest na w do z ze to ale tak już je se ne ano ale"),
    "turkic": _words("ve bir bu için değil çok ama evet da de o"),
}  # fmt: skip
"""Frequent words by language."""
_ONLY_ENGLISH: Final = _FREQUENT["en"].difference(
    *(words for name, words in _FREQUENT.items() if name != "en")
)
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")


@lru_cache(maxsize=2_048)
def language(text: str) -> str | None:
    """The language of a text in small letters by its frequent words; None where they do not tell.

    English wins a draw where one of its words is in no other language.
    """
    words = _WORD.findall(text)
    counts = {
        name: sum(
            word in frequent or word[: word.find("'") + 1] in frequent for word in words
        )
        for name, frequent in _FREQUENT.items()
    }
    best = max(counts.values())
    first = [name for name, count in counts.items() if count == best]
    if best == 0 or (len(first) > 1 and _ONLY_ENGLISH.isdisjoint(words)):
        return None
    strange = sum(not word.isascii() for word in words)
    return None if first[0] == "en" and strange > best else first[0]


def is_english(text: str) -> bool:
    """Whether a text in small letters is English; one without words is."""
    return _WORD.search(text) is None or language(text) == "en"
