"""The spelling of a turn before it is read: one form for numbers, for the punctuation of East Asia, and for verbs.

Every number is written without marks between its groups (`2500`, `999.50`), so that a comma ends a clause wherever one
is left.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from judgemesh.validators._shared.numbers.numbers import MONEY, readings
from judgemesh.validators._shared.text import plain
from judgemesh.validators._shared.trace.verbs import kind_words, spoken_verbs, stem

_PUNCTUATION: Final = str.maketrans(
    {"\u3001": ", ", "\u3002": ". ", "\uff61": ". ", "\uff64": ", ", "\u300c": '"', "\u300d": '"'}
)  # fmt: skip
_ASKS: Final = re.compile("(か|吗)\u3002")
"""The particles that end a question in Japanese and Chinese, before a full stop."""
_MARKED: Final = re.compile(
    r"(?<![\w.,:/+-])\d{1,3}(?:[,'\u2019]\d{3}|[ \u00a0\u202f]\d{3}(?!\d)){1,8}(?:\.\d+)?"
    r"(?![\d.,'\u2019]{0,40}\d|[ \u00a0\u202f]\d{3}(?!\d))"
    r"|(?<![\w.,:/+-])(?:\d+|\d{1,3}(?:[. \u00a0\u202f'\u2019]\d{3}){1,8}),\d{1,2}(?![\d.,'\u2019]{0,40}\d)"
    r"|(?<=[$\u20ac\u00a3\u00a5])\d{1,3}(?:,\d{3}){1,8}(?:\.\d+)?(?![\d.,'\u2019]{0,40}\d|[ \u00a0\u202f]\d{3}(?!\d))"
)
"""Numbers with marks between their groups, or with a decimal comma."""
_MONEY_BY_POINT: Final = re.compile(
    rf"(?<![\w.,:/+-])(?P<before>{MONEY}\s?)?(?P<number>[1-9]\d{{0,2}}\.\d{{3}})(?![\d.,]*\d)(?P<behind>\s?{MONEY})?",
    re.IGNORECASE,
)
"""`2.500 EUR`: no currency has three decimals that people write."""
_ATTACHED: Final = re.compile(
    r"(?<=\d)(?=(?:eur|usd|gbp|chf|jpy|inr|sek|nok|dkk|pln|euros?|dollars?|pounds?|francs?)\b)",
    re.IGNORECASE,
)
_EASTERN: Final = "\u3040-ヿ一-鿿가-힣"
_SCRIPTS: Final = re.compile(
    rf"(?<=[a-zA-Z0-9])(?=[{_EASTERN}])|(?<=[{_EASTERN}])(?=[a-zA-Z0-9])"
)
_MAX_CACHED: Final = 2_000


def readable(text: str) -> str:
    """The turn in the spelling that the rules read."""
    return _readable(text) if len(text) <= _MAX_CACHED else _respelled(text)


def spaced(text: str) -> str:
    """A text with spaces between letters of East Asia and what is written in others."""
    return text if text.isascii() else _SCRIPTS.sub(" ", text)


def _respelled(text: str) -> str:
    shown = _ASKS.sub(r"\1? ", text).translate(_PUNCTUATION)
    shown = _ATTACHED.sub(" ", spaced(plain(shown)))
    shown = _MARKED.sub(lambda found: _unmarked(found[0]), shown)
    return _MONEY_BY_POINT.sub(_grouped, shown)


_readable = lru_cache(maxsize=2_048)(_respelled)


def _unmarked(number: str) -> str:
    found = readings(number)
    return format(found[0], "f") if found else number


def _grouped(found: re.Match[str]) -> str:
    if found["before"] is None and found["behind"] is None:
        return found[0]
    return found[0].replace(found["number"], found["number"].replace(".", ""))


_FORMS: Final = r"(?:[-\u2019']?(?:le|la|les|lo|los|las|li|o|a|os|as))?"
_VERBS: Final = {
    "delete": r"lösch(?:e|en|t|st)|entfern(?:e|en|t)|(?:supprim|effac)(?:e|er|ez)|elim[ií]n(?:a|e|en|ar|i|o)|"
    r"b[oó]rr(?:a|e|en|ar|o)|apag(?:ar|a|ue)|cancell(?:a|i|are)|verwijder(?:en|t)?|sil(?:in|iniz|meye|memi|eyim|"
    r"ebilirsin|ebilirsiniz)?|"
    r"usuń|usunąć|skasuj|skasować|slet|radera|удал(?:и|ите|ить|яйте)",
    "cancel": r"stornier(?:e|en|t)|kündig(?:e|en|t)|annul(?:e|er|ez|i|la|li|lo|lare|are|eer|eren)|"
    r"canc[eé]l(?:a|e|en|ar)|anul(?:a|"
    r"e|en|ar)|"
    r"opzeggen|iptal(?: ed(?:in|iniz|ebilirsiniz)| et)?|anuluj|anulować|avboka|avbryt|отмен(?:и|ите|ить)",
    "pay": r"(?:be)?zahl(?:e|en|t)|pay(?:e|er|ez)|p[aá]g(?:a|ar|ue|uen|hi|are)|betaal|betalen|betala|betal|"
    r"öde(?:yin)?|"
    r"zapłać|оплати(?:те|ть)?",
    "transfer": r"überweis(?:e|en|t)|vire[rz]|transf(?:iera|ieran|iere|erir|ér\w+|erisca|eriscano|ira)|przelej|"
    r"переведи(?:те)?",
    "send": r"schick(?:e|en|t)|envoye[rz]|envoie|enví(?:a|e|en)|enviar|envie|invi(?:a|i|are)|stuur|gönder(?:in)?|"
    r"wyślij|"
    r"skicka|отправь(?:те)?",
    "book": r"buch(?:e|en|t)|reservier(?:e|en|t)|réserve[rz]?|res[eé]rv(?:a|e|en|ar)|prenot(?:a|i|are)|boek(?:en|"
    r"t)?|boka|zarezerwuj",
    "change": r"änder(?:n|e)|change[rz]|modifie[rz]|c[aá]mbi(?:a|e|en|ar|are)|alter(?:a|e|ar)|wijzig(?:en|t)?|"
    r"değiştir(?:in)?|"
    r"zmień|ändra|измени(?:те)?",
    "close": r"schlie(?:ß|ss)(?:e|en|t)|ferme[rz]|cierr(?:a|e|en)|cerrar|chiud(?:a|i|ere)|encerr(?:a|e|ar)|"
    r"sluit(?:en)?|kapat(?:in)?|"
    r"zamknij|закрой(?:те)?",
    "terminate": r"abschalt(?:en|e)|beend(?:e|en|et)",
}  # fmt: skip
"""Forms of verbs by which people tell to do something in other languages, by the English verb."""
_ABROAD: Final = tuple(
    (english, re.compile(rf"(?<![\w-])(?:{forms}){_FORMS}(?![\w-])"))
    for english, forms in _VERBS.items()
)
_NOUNS: Final = {
    "reservation": r"reservierung|buchung|réservation|reserva(?:ción)?|prenotazione|reservering|boeking|"
    r"rezerwacj[aęi]|rezervasyonu?",
    "order": r"bestellung|auftrag|commande|pedido|orden|ordine|bestelling|zamówieni[ea]|siparişi?",
    "lease": r"mietvertrag|bail|contrato de alquiler|contratto d'affitto",
    "subscription": r"abo|abonnement|suscripción|abbonamento|assinatura",
    "invoice": r"rechnung|facture|factura|fattura|fatura|factuur|faktura|fakturę",
    "server": r"serveur|servidor|serwer|sunucuyu",
    "claim": r"schadensfall|sinistre|siniestro|antrag",
    "appointment": r"termin|rendez-vous|cita|appuntamento|afspraak",
    "episode": r"folge|épisode|episodio|aflevering|odcinek",
}
"""Things that actions are about, in other languages."""
_NAMED_ABROAD: Final = tuple(
    (english, re.compile(rf"(?<![\w-])(?:{forms})(?![\w-])"))
    for english, forms in _NOUNS.items()
)
_EAST: Final = {
    "削除": "delete", "消して": "delete", "删除": "delete", "삭제": "delete",
    "キャンセル": "cancel", "取消": "cancel", "취소": "cancel",
    "解約": "cancel",
    "支払": "pay", "付款": "pay", "결제": "pay", "送金": "transfer",
    "振り込": "transfer", "转账": "transfer", "송금": "transfer",
    "予約": "book", "预订": "book", "예약": "book", "変更": "change",
    "更改": "change", "변경": "change",
}  # fmt: skip
_EAST_ORDER: Final = re.compile(
    rf"(?<!\w)(?:请)?(?P<verb>{'|'.join(_EAST)})(?:を)?(?:して|해|して来|吧|它)?"
    r"(?:下さい|ください|構いません|お願いします|"
    r"いいです(?:よ)?|\s?주세요)?(?!\w)"
)


@lru_cache(maxsize=4_096)
def action_verbs(kind: str) -> frozenset[str]:
    """The stems of the verbs by which people name an action of this kind, in whatever language the kind is named."""
    abroad = with_english_verbs(" ".join(kind_words(kind)))
    own = spoken_verbs(kind) | spoken_verbs(abroad)
    # One verb in Italian and other languages, `cancellare`, means both.
    return own | {stem("delete")} if "cancel" in own else own


def with_english_verbs(text: str) -> str:
    """A text in small letters, with the verbs of orders in other languages shown in English."""
    if not text.isascii():
        text = _EAST_ORDER.sub(lambda found: _EAST[found["verb"]], text)
    for english, pattern in _ABROAD:
        text = pattern.sub(english, text)
    return text


def with_english_nouns(text: str) -> str:
    """A text in small letters, with things that actions are about shown in English."""
    for english, pattern in _NAMED_ABROAD:
        text = pattern.sub(english, text)
    return text
