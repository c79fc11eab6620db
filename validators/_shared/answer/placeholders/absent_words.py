# ruff: noqa: RUF001 (Turkish has a dotless i)
"""Wordings by which a text in another language than English says that there is no value: `liegt nicht vor`.

Each row is a pattern over the whole folded text, of one language: it is not there, it is not known, it will be told, it
is to be settled, it is being settled. A value that merely holds such words is a value.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from judgemesh.contracts.text.word_sets import word_set

_GERMAN_LATER: Final = (
    r"(?:(?:noch|derzeit|aktuell|momentan|zurzeit|bisher|bislang|leider|später|demnächst|bald|in kürze"
    r"|zeitnah|separat|gesondert"
    r"|rechtzeitig|uns|mir|ihnen|hier|per e-mail|nicht|erst) ?){0,5}"
)
_GERMAN_DONE: Final = (
    r"(?:mitgeteilt|bekannt ?gegeben|nachgereicht|nachgetragen|nachgeliefert|ergänzt|ermittelt"
    r"|festgelegt|geklärt|vergeben|angekündigt|veröffentlicht|verkündet"
    r"|angegeben|bestimmt|bestätigt|eingetragen|zugeteilt|gemeldet|übermittelt|benannt|vereinbart|erfasst|hinterlegt)"
)
_FRENCH_DONE: Final = (
    r"(?:communiqué|précisé|confirmé|déterminé|défini|indiqué|fourni|transmis|annoncé|fixé|complété"
    r"|attribué|renseigné|publié|affiché|dévoilé"
    r"|envoyé|donné)e?s?"
)
_FRENCH_LATER: Final = (
    r"(?: (?:plus tard|ultérieurement|prochainement|bientôt|par e-?mail"
    r"|à ce jour|pour le moment|pour l'instant)){0,2}"
)
_ITALIC_DONE: Final = (
    r"(?:comunicat|confermat|definit|determinat|precisat|indicat"
    r"|fornit|specificat|assegnat|stabilit|not)[oaie]"
)
_SPANISH_LATER: Final = (
    r"(?: (?:más tarde|más adelante|próximamente|pronto|en breve"
    r"|aún|todavía|por ahora|por el momento)){0,2}"
)
_PORTUGUESE_DONE: Final = (
    r"(?:comunicad|informad|confirmad|definid|determinad|indicad"
    r"|fornecid|especificad|atribuíd|divulgad)[oa]s?"
)
_DUTCH_DONE: Final = (
    r"(?:meegedeeld|medegedeeld|doorgegeven|bepaald|bevestigd|aangevuld"
    r"|bekendgemaakt|nagestuurd|vastgesteld|opgegeven)"
)
_SCANDINAVIAN_LATER: Final = (
    r"(?: (?:senere|snarest|nærmere|senare|inom kort|snart|endnu|ennå|enda|ännu)){0,2}"
)
_ELSEWHERE: Final = (
    r"(?:programm|programme|programa|programma|flyer|karte|carte|mapa|brochure|broschüre|folleto|aushang|anhang|"
    r"anlage|beilage|website|webseite|homepage|internet|tafel|plakat|aufdruck|etikett|rückseite"
    r"|mail|e-mail|kalender|plan|tabelle|kleingedrucktes|affiche|affichage|annexe|site|panneau|tableau|étiquette|dos"
    r"|courriel|pièce jointe|verso|tablón|anexo|web|página|cartel|adjunto|correo|dorso|etiqueta|tablón de anuncios"
    r"|allegato|sito|bacheca|avviso|retro|bijlage|bord|poster|opslag|bilag|vedlegg|bilaga|anslag)"
)
"""Where a text sends the reader who looks for a value."""
_WORDINGS: Final = (
    (
        r"(?:bitte )?(?:siehe|s\.|vgl\.?|voir|cf\.?|consulter|véase|ver|consulte|consultar|vedi|vedere|zie|se)"
        r"(?: (?:bitte|den|die|das|dem|der|am|im|auf|an der|unter|le|la|les|notre|nuestra|el|los|en el|en la|au|sur le"
        rf"|il|lo|de|het|op de|på))? ?(?:l')?{_ELSEWHERE}"
    ),
    rf"(?:liegt|liegen) {_GERMAN_LATER}(?:nicht )?{_GERMAN_LATER}vor(?: ?{_GERMAN_LATER})",
    (
        rf"(?:noch )?(?:nicht|keine?) {_GERMAN_LATER}(?:bekannt|verfügbar|vorhanden|vorliegend|ermittelbar"
        rf"|angabe|{_GERMAN_DONE})"
    ),
    rf"(?:(?:steht|stehen) {_GERMAN_LATER}(?:aus|nicht fest|nicht zur verfügung)|noch {_GERMAN_LATER}aus(?:stehend)?)",
    rf"(?:wird|werden|muss|müssen|soll|sollen) {_GERMAN_LATER}{_GERMAN_DONE}(?: werden)?",
    (
        rf"(?:ist |sind )?(?:noch|nicht) {_GERMAN_LATER}(?:zu \w{{4,20}}|unklar|offen|ungeklärt|unbekannt"
        rf"|bekannt|verfügbar|{_GERMAN_DONE})"
    ),
    r"(?:noch )?in (?:klärung|prüfung|bearbeitung|abstimmung)",
    rf"(?:sera|seront|vous sera|vous seront) (?:\w+ment )?{_FRENCH_DONE}{_FRENCH_LATER}",
    (
        rf"(?:(?:reste|restent) )?(?:encore )?à (?:confirmer|déterminer|définir|préciser|compléter"
        rf"|communiquer|fixer|venir){_FRENCH_LATER}"
    ),
    (
        r"(?:(?:n'est|ne sont|n'a|n'ont) )?(?:pas|non)(?: encore)? (?:été )?"
        rf"(?:disponible|conn?u|communiqué|déterminé|précisé|défini|fourni|renseigné|attribué|fixé"
        rf"|indiqué)e?s?{_FRENCH_LATER}"
    ),
    r"en (?:attente|cours)(?: (?:de|d'\w+)(?: \w+)?)?|sans (?:information|données|objet)",
    (
        r"(?:se |le )?(?:será|serán|comunicará|informará|indicará|confirmará|determinará|avisará"
        r"|facilitará|definirá|anunciará|publicará|especificará|dará a conocer)n?"
        rf"(?: (?:comunicad|informad|confirmad|definid|determinad|asignad)[oa]s?)?{_SPANISH_LATER}"
    ),
    (
        r"(?:está |queda |aún |todavía )*(?:por|pendiente de|sin|a)(?: la)? "
        r"(?:determinar|definir|confirmar|confirmación|asignar|asignación|comunicar|especificar|concretar"
        r"|datos|información)"
    ),
    (
        r"(?:aún |todavía )?no (?:se |está |ha sido |consta|hay )?(?:aún |todavía )?"
        r"(?:dispone|disponible|conoce|conocid[oa]|especificad[oa]|indicad[oa]|datos|asignad[oa]"
        r"|comunicad[oa]|determinad[oa]|definid[oa])?"
        rf"{_SPANISH_LATER}(?<=\w{{4}})"
    ),
    (
        rf"(?:sarà|saranno|verrà|verranno) (?:\w+ )?{_ITALIC_DONE}(?: (?:più tardi|in seguito|a breve"
        rf"|successivamente|prossimamente))?"
    ),
    (
        r"(?:ancora )?(?:da|in) (?:comunicare|confermare|definire|determinare|precisare|stabilire"
        r"|assegnare|attesa|corso)"
        r"(?: di (?:\w+ )?\w+)?"
    ),
    rf"(?:non (?:è |ancora |è ancora )?)(?:disponibile|pervenut[oa]|{_ITALIC_DONE})",
    rf"(?:será|serão) (?:\w+ )?{_PORTUGUESE_DONE}(?: (?:mais tarde|em breve|posteriormente|oportunamente))?",
    r"(?:ainda )?(?:a|por|sem) (?:definir|determinar|confirmar|comunicar|informar|indicar|atribuir|informação|dados)",
    rf"(?:ainda )?não (?:foi |está |ainda )?(?:disponível|consta|{_PORTUGUESE_DONE})",
    rf"(?:wordt|worden) (?:nog |later |binnenkort |z\.s\.m\. )*{_DUTCH_DONE}",
    rf"(?:is |zijn )?(?:nog )?(?:niet|geen) (?:bekend|beschikbaar|aanwezig|ontvangen|gegevens|{_DUTCH_DONE})",
    r"nog te (?:bepalen|bevestigen|ontvangen)|volgt(?: nog| later)?|in afwachting(?: van (?:\w+ )?\w+)?",
    (
        rf"(?:oplyses|opplyses|meddeles|bekræftes|bekreftes|følger|kommer|ettersendes|eftersendes|avklares"
        rf"|afklares|fastsettes"
        rf"|fastsættes|meddelas|bekräftas|återkommer|följer|fastställs|kompletteras){_SCANDINAVIAN_LATER}"
    ),
    (
        r"(?:er |är )?(?:endnu |ennå |foreløbig |ännu )?(?:ikke|inte|ej)(?: (?:endnu|ennå|ännu))? (?:kendt"
        r"|kjent|tilgængelig\w?"
        r"|tilgjengelig|oplyst|oppgitt|fastsat|fastsatt|bestemt|bekræftet|bekreftet|modtaget|mottatt|känt"
        r"|känd|tillgänglig\w?"
        rf"|fastställ\w{{1,3}}|angiv\w{{2,4}}|bestämt|bekräftat){_SCANDINAVIAN_LATER}"
    ),
    r"mangler|ukendt|ukjent|afventer(?: \w+)?|avventer(?: \w+)?|inväntar(?: \w+)?|uppgift saknas",
    (
        r"(?:zostanie|zostaną|będzie|będą) (?:\w+ )?(?:podan|ustalon|potwierdzon|określon|przekazan|uzupełnion)\w{1,2}"
        r"(?: (?:później|wkrótce|niebawem))?"
    ),
    (
        r"(?:jeszcze )?nie (?:jest |został\w? |są )?(?:jeszcze )?(?:znan|podan|ustalon|dostępn|określon"
        r"|potwierdzon|otrzyman)\w{1,2}"
    ),
    (
        r"niedostępn\w{1,2}|(?:jeszcze )?do (?:ustalenia|potwierdzenia|uzupełnienia|określenia|podania)"
        r"|w trakcie (?:ustalania|weryfikacji)"
        r"|oczekuje(?: na \w+)?"
    ),
    (
        r"(?:(?:daha|sonra|henüz|ileride|yakında|ayrıca|tarafınıza|size) ){0,4}"
        r"(?:\w{1,12}(?:[iıuü]l|[iı]n|n)[ea]ce[kğ]\w{0,5}|\w{1,12}(?:[iıuü]l|[iıuü]n|n)acak\w{0,4})"
    ),
    (
        r"(?:henüz )?(?:\w{2,12}(?:n|l)m[ea](?:di|dı|miş|mış)\w{0,4}|(?:belli|mevcut|hazır|kesin|belirli) değil\w{0,4}"
        r"|bulunm(?:uyor|amaktadır)|bekleniyor|beklemede)|(?:bilgi|veri) (?:yok|bulunmuyor|mevcut değil)"
    ),
    (
        r"(?:現在|後日|追って|まだ|のちほど|後ほど|近日|別途|改めて|ただいま)*(?:確認|調整|検討"
        r"|問い?合わせ|照会|準備)中(?:です|でございます)?"
    ),
    (
        r"(?:後日|追って|のちほど|後ほど|別途|改めて)(?:に)?(?:ご)?(?:連絡|案内|通知|お知らせ|回答|確定"
        r"|決定|提供)(?:します|いたします|致します|予定)?(?:です)?"
    ),
    (
        r"(?:まだ)?未(?:定|確定|確認|登録|記入|入力|記載|取得|発行|回答|着|詳|設定|決定)(?:です)?"
        r"|不明(?:です)?|(?:わ|分)かりません|要確認|空欄"
    ),
    r"(?:情報|データ|記載|該当|回答)(?:が|は)?(?:なし|ありません|ない|無し|ございません)",
    (
        r"(?:尚未|还未|暂未|未)(?:确定|提供|公布|知|定|填写|通知|收到)|(?:待|稍后|另行|后续)(?:定|确认"
        r"|通知|补充|公布|提供)"
        r"|(?:暂)?无(?:数据|信息)|确认中|请填写"
    ),
)
_FILL_IN: Final = """
    einfügen eintragen ergänzen angeben ausfüllen einsetzen nachtragen insérer saisir compléter indiquer renseigner
    remplir insertar introducir completar indicar rellenar inserire compilare indicare completare inserir preencher
    invullen invoegen indsæt indtast udfyld infoga wstaw wpisz uzupełnij girin giriniz ekleyin yazın yazınız doldurun
    buraya
"""
_SLOTS: Final = """
    nummer nr betrag uhrzeit ort anschrift adresse kennung preis menge numéro montant heure lieu prénom prix número
    importe hora lugar dirección teléfono precio apellido numero importo ora luogo indirizzo prezzo valor endereço
    telefone preço nome naam bedrag tijd plaats adres navn beløb beløp tid sted namn belopp plats imię nazwisko kwota
    data godzina miejsce numer numara numarası ad adı tarih tarihi tutar saat saati adres yer firma
"""
_SLOT_ENDINGS: Final = (
    "nummer",
    "datum",
    "adresse",
    "betrag",
    "uhrzeit",
    "anschrift",
    "kennung",
    "numarası",
)
_UNSPACED_FILL_IN: Final = ("入力", "記入", "挿入", "填写", "填入")
_UNSPACED_SLOTS: Final = (
    "番号",
    "氏名",
    "名前",
    "日付",
    "住所",
    "金額",
    "时间",
    "日期",
    "姓名",
    "号码",
    "地址",
    "金额",
)
_MAX_CHARS: Final = 100
_WORD: Final = re.compile(r"[^\W\d_]+")


def says_absent(folded: str) -> bool:
    """Whether a whole folded text says that there is no value."""
    return len(folded) <= _MAX_CHARS and _wordings().fullmatch(folded) is not None


def asks_to_fill_in(folded: str) -> bool:
    """Whether a text in brackets asks to fill something in, or names what belongs there: `[Nummer einfügen]`."""
    words = _WORD.findall(folded)
    if not word_set(_FILL_IN).isdisjoint(words) or any(
        sign in folded for sign in _UNSPACED_FILL_IN
    ):
        return True
    if folded.endswith(_UNSPACED_SLOTS):
        return True
    return all(
        word in word_set(_SLOTS) or word.endswith(_SLOT_ENDINGS) for word in words
    ) and bool(words)


@cache
def _wordings() -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{wording})" for wording in _WORDINGS))
