# ruff: noqa: RUF001 (Turkish has a dotless i)
"""Words that belong to the number before them, and words by which they are told from others.

The languages: English, German, Dutch, Danish, Norwegian, Swedish, French, Spanish, Portuguese, Italian, Polish and
Turkish.
"""

from __future__ import annotations

from typing import Final

from judgemesh.contracts.text.word_sets import word_set

_SIGNS: Final = """
    m mm cm dm km nm μm mi ft inch inches foot feet yd ha g kg mg μg mcg ng t kt lb lbs oz l dl cl ml hl μl
    ms min mins sec secs h hr hrs wk wks mos yr yrs kb mb gb tb kbit mbit gbit mhz ghz khz hz kw mw gw kwh
    mwh gwh wh kv mv ma mah kva hpa kpa mpa mbar psi kn kj mj kcal ppm ppb rpm mol mmol μmol mmhg iu bpm db
    dba dpi px mph kmh kph sqm sqft cbm ccm cc ph kω gal qt pct bbl usd eur gbp jpy chf dkk sek nok pln czk
    huf inr aud cad nzd cny hkd sgd brl mxn zar krw rub uah ron zł gr $ € £ ¥ ₹ ₺ bn mn mio mln mld mrd mrds
    mia tys tsd trn
"""
"""Signs and abbreviations, which are no words."""
_NAMES: Final = """
    per percent percentage procent prozent pourcent promille percento yüzde cent cents ct cts penny pence
    pfennig rappen øre öre pm uhr o'clock bin mil mila mille milli mill days day hour hours week weeks month
    months year years jahr jahre jahren tag tage tagen stunde stunden std ans jour jours heure heures mois
    año años día días hora horas mes meses anno anni giorno giorni mese mesi ano anos dia dias mês jaar
    jaren dag dagen uur uren weken maand maanden år dage dagar timer timmar timme måned måneder månad
    månader uge uger uke uker vecka veckor rok roku lata lat dni dzień godzin godziny godz mies miesięcy
    tygodni yıl gün saat hafta dakika saniye adet tane ton tons bar st pt pp mo
"""
"""Units and magnitudes that are spelled in just this way."""
_STEMS: Final = """
    metr metre meter metro mètre litr litre liter litro gram gramm gramme gramo gramma grama tonne tonn
    tonnellat tonelad kilo pound pfund livre libra libbr funt ounce unze zentner quintal inch zoll pouce
    pulgada pollic polegada mile meil mille yard hektar hectare hectáre héctare ettar acre morgen second
    sekund secund segund seconde minut minute minuto hour stund heur hora godzin timer week woch semain
    seman settiman tygod month monat monad miesiąc quarter quartal trimestr year jahr jaar dekad decad
    jahrhundert siecl siglo secol century centur nacht nächt night nuit notti noite degree grad degré grado
    gradi graus graden stopni derece celsius fahrenheit kelvin watt volt amper ampère ampere ohm hertz joule
    newton pascal calor kalor calorie kalorie byte pixel megabyte gigabyte kilobyte terabyte lux lumen
    wattstund kilowattstund wattheur euro dollar dólar dolar dollaro sterling franc franken frank rappen yen
    yuan rupee rupie krone kroner kronor kron lira lir złot zloty zł real reai reais peso guld gulden florin
    ruble rubl dinar dirham shilling hundred thousand million billion trillion dozen hundert tausend
    milliard dutzend duizend honderd miljoen miljard tusen tusind miljon hundra millón millon milion milione
    miliard milión centen docen milí milhã milhõ bilhã bilhõ milliers millier douzain centain cento centinai
    migliai dozzin tysiąc tysięc milyon milyar trilyon yüz bin düzine percent prozent procent porcent
    porcento percentag point prozentpunkt person kopf gast stück besucher
"""
"""Beginnings of units, currencies and magnitudes that take endings."""
_ENDINGS: Final = """
    s es n en e er ern r i y a o os as ai ów ow u ie ene ar or ner nes ne ni nen ões ão ón on oner onen ones
    one arden arde ards arda ardi ard de den der ę ą ami ach om ych ymi ek ki em dir dır dur dür tır tir tur
    lık lik luk lar ler sı si yi yı ya ye na dan ies ijn et te ten ers
"""
_PREFIXES: Final = (
    "kilo", "milli", "mili", "zenti", "centi", "cm", "senti", "santi", "dezi", "deci", "hekto", "hecto", "mikro",
    "micro",
    "nano", "mega", "giga", "tera", "quadrat", "quadratkilo", "kubik", "fest", "kvadrat", "kubikk",
)  # fmt: skip
_COMPOUNDED: Final = (
    "stunden", "stunde", "tage", "tagen", "jahre", "jahren", "wochen", "monate", "monaten", "minuten", "sekunden",
    "tonnen", "prozent", "euro", "dagen", "uren", "weken", "dagar", "timmar", "timer", "dage",
)  # fmt: skip
"""Units at the end of a compound: `Betriebsstunden`, `werkdagen`."""
_MIN_COMPOUND_CHARS: Final = 7
RATE_WORDS: Final = "a an the pro je cada par por pela pelo al alla all' \u00e0 i om na za the im am pr per"
"""Words that make a rate of a number before a unit: `20 a day`, `20 par jour`."""
RANGE_WORDS: Final = "to till until bis tot til till \u00e0 a al do ila"
"""Words between the ends of a range: `4 to 6 weeks`."""
LABELS: Final = """
    page pages p section sections chapter article paragraph clause rule item line row table figure fig step
    version room gate building block unit zone turbine pump number nr no appendix annex volume issue edition
    lot batch class type seite seiten abschnitt kapitel artikel absatz satz ziffer zeile tabelle abbildung
    abb schritt raum zimmer haus tor gleis nummer anlage anhang band ausgabe teil klasse typ chapitre alinéa
    règle ligne tableau étape salle quai numéro annexe tome partie página capítulo artículo párrafo regla
    fila tabla figura paso sala puerta número anexo tomo parte pagina capitolo articolo comma paragrafo
    regola riga tabella passo stanza porta numero allegato artigo parágrafo regra linha tabela quarto
    bladzijde hoofdstuk regel rij tabel stap kamer deur bijlage deel side kapittel artikkel avsnitt sida rum
    rom dør bilaga bilag del strona stronie stron rozdział rozdziale artykuł ustęp pkt punkt krok pokój
    załącznik tom sayfa bölüm madde fıkra satır tablo şekil adım oda kapı numara ek cilt year years jahr
    année año anno ano jaar år året roku rok yıl
"""
"""Words before a number that is a name, not an amount."""
YEAR_WORDS: Final = """
    in since by until till from of before after during between year january february march april may june
    july august september october november december im seit bis ab von vor nach januar februar märz mai juni
    juli oktober dezember jahr en depuis avant après de janvier février mars avril juin juillet août
    septembre octobre novembre décembre desde hasta enero febrero marzo abril mayo junio julio agosto
    septiembre octubre noviembre diciembre del nel dal fino gennaio febbraio aprile maggio giugno luglio
    settembre ottobre dicembre em até janeiro fevereiro março maio junho julho setembro outubro novembro
    dezembro sinds tot januari februari maart mei augustus i siden fra til marts maj sedan från år året w od
    do roku rok yıl ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık and und et y
    e og och ve
"""
"""Words before a number that is a year where it has four digits."""
SHORT_WORDS: Final = """
    a i o u e y an and are as at be but by can did do ere far for get got had has he her him his how if in
    into is it its led let lie lay may me met nor not now of off old on one or our out own put ran run sat
    saw say set she so the to too two up us use via was way we who why won yet you all any few new last both
    due cut hit fit ago also ate ab als am auf aus bei bis da das dem den der des die du ein er es für hat
    ich ihm ihn ihr im ins ist ja man mit nun nur ob ohne sah sei sie sich um und uns vom von vor war wer
    wie wir wo zog zu zum zur kam gab lag au aux ce ces car dans de elle en est et eux fut il ils je la le
    les leur lui ma mes mon ne ni nos ont ou par pas pour qui que sa sans se ses si son sur ta tes tu un une
    vos al con del di el ella esa ese eso esta fue ha han hay las lo los mi muy no os para por ser sin su
    sus tal te una ya yo ai alla che chi ci col cui dai dal dei ed era fra gli ho io loro nei nel non ora
    per piu poi sia sua sui sul suo tra va vi ao aos com dos ela em eu foi mas na nas nem num sem seu sob
    tem teu uma vai aan bij dan dat dit door een heb hem het hij hoe hun ik kan naar nog nu om ons op over
    tot uit van wat wel zal ze zei zij zo af av det dig ej ett har hon hos ikke ind inn jag jeg med men mig
    mot nej ned nye og opp oss på sig sit ska som så til tog ud upp ut var ved vid dog aby ale bez bo byl co
    czy dla ile jak jej jest jego ku lub nad nie od ona ono oraz po pod poz przy się tak tam tej ten ty w wy
    z za bu ise ki mu ve bir bazi cok sey biz siz ben sen iki ilk yok v s k pro ke ter ali pri az meg ei cu
    din sau cel yg eat pay win buy ask try see fly add aim end act go hold used need took make made give
    gave help top big low red usa uk ceo tv pc ad bc inc ltd jr sr
"""
"""Words of three letters or fewer that are common in a European language and no unit."""


def is_sign(word: str) -> bool:
    """Whether a word in normal form is the sign of a unit, a currency or a magnitude, and no other word."""
    return word in word_set(_SIGNS)


def is_unit(word: str) -> bool:
    """Whether a word in normal form belongs to a number before it. Some of them have another meaning elsewhere."""
    if word in word_set(_SIGNS) or word in word_set(_NAMES) or _has_stem(word):
        return True
    if len(word) >= _MIN_COMPOUND_CHARS and word.endswith(_COMPOUNDED):
        return True
    return any(
        word.startswith(prefix) and _has_stem(word[len(prefix) :])
        for prefix in _PREFIXES
    )


def _has_stem(word: str) -> bool:
    for end in range(len(word), 2, -1):
        if word[:end] in word_set(_STEMS) and (
            end == len(word) or word[end:] in word_set(_ENDINGS)
        ):
            return True
    return False
