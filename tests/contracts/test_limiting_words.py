"""A quote does not drop a negation, a condition or an exception, in any of the languages that the rules know."""

from __future__ import annotations

import pytest

from judgemesh.contracts.text.passages import is_in_text

DROPPED: dict[str, tuple[str, str]] = {
    "german not in front": ("Nicht die Klappe bei Sturm öffnen.", "Die Klappe bei Sturm öffnen."),
    "german no": ("Kein Mieter darf den Speicher betreten.", "Mieter darf den Speicher betreten."),
    "german not behind": ("Der Bäcker liefert das Brot sonntags nicht.", "Der Bäcker liefert das Brot sonntags"),
    "german condition": ("Die Lampe ist täglich zu löschen, sofern niemand im Saal ist.", "Die Lampe ist täglich … niemand im Saal"),
    "german if": ("Der Lift fährt, wenn der Wind schwach ist.", "Der Lift fährt … der Wind schwach ist"),
    "german without": ("Die Bühne darf ohne Helm betreten werden.", "Die Bühne darf … betreten werden"),
    "german except at the end": ("Alle Hunde sind frei, außer im Mai.", "Alle Hunde sind frei."),
    "french not in front": ("Ne pas laver le tapis à chaud.", "Laver le tapis à chaud."),
    "french never": ("Le four ne doit jamais rester ouvert.", "Le four … rester ouvert"),
    "french unless": ("Le musée ouvre le lundi, sauf en hiver.", "Le musée ouvre le lundi."),
    "french if": ("Le bac part à midi si la mer est calme et les quais sont libres.", "Le bac part à midi … la mer est calme"),
    "spanish no in front": ("No abrir la jaula de noche.", "Abrir la jaula de noche."),
    "spanish except": ("Se puede entrar por la puerta, excepto si el río sube.", "Se puede entrar … el río sube"),
    "spanish only": ("La sala abre solo con el permiso de la casa.", "La sala abre … el permiso de la casa"),
    "spanish without": ("El té se sirve sin azúcar en la terraza.", "El té se sirve … en la terraza"),
    "italian not in front": ("Non lavare il vetro a caldo.", "Lavare il vetro a caldo."),
    "italian if": ("La barca parte alle sei se il mare è calmo.", "La barca parte alle sei … il mare è calmo"),
    "italian except": ("Il forno è aperto, tranne il lunedì di festa.", "Il forno è aperto … il lunedì"),
    "portuguese not": ("Não abrir a caixa no escuro.", "Abrir a caixa no escuro."),
    "portuguese without": ("O bolo é servido sem açúcar na festa.", "O bolo é servido … na festa"),
    "dutch not behind": ("De molenaar maalt het graan niet.", "De molenaar maalt het graan"),
    "dutch unless": ("De brug is open, tenzij het stormt op zee.", "De brug is open … het stormt"),
    "danish not behind": ("Bageren leverer brødet ikke.", "Bageren leverer brødet"),
    "norwegian unless": ("Ferja går daglig, med mindre det stormer på fjorden.", "Ferja går daglig … det stormer"),
    "swedish if": ("Liften går varje dag om det är lugnt och klart på berget.", "Liften går varje dag … det är lugnt"),
    "polish not in front": ("Nie otwierać okna w nocy.", "Otwierać okna w nocy."),
    "polish condition": ("Prom płynie o szóstej, jeśli morze jest spokojne.", "Prom płynie o szóstej … morze jest spokojne"),
    "turkish exception": ("Müze pazartesi hariç her gün açıktır.", "Müze … her gün açıktır"),
    "turkish verb": ("Kapıyı kilitlemeden evden çıkılır diye yazıldı.", "Kapıyı … evden çıkılır"),
    "turkish not behind": ("Bu su temiz değil.", "Bu su temiz"),
    "japanese not behind": ("窓は夜に開けられなかった。", "窓は夜に開けられ"),
    "japanese condition": ("門は雨の場合を除き毎日開く。", "門は … 毎日開く"),
    "english unless at the end": ("Close the gate unless a train is near.", "Close the gate."),
    "english but in a gap": ("Boats may land with a permit, but canoes may not.", "Boats may land … canoes"),
    "english up to": ("The fund pays repairs up to 300 EUR.", "The fund pays repairs … 300 EUR"),
    "english other than": ("The ferry takes all cars other than vans.", "The ferry takes all cars … vans"),
    "english other than at the end": ("The ferry takes all cars other than vans.", "The ferry takes all cars."),
    "english as long as": ("You may fish here as long as you hold a card.", "You may fish here."),
    "english subject to": ("The grant is final, subject to an audit.", "The grant is final."),
    "english provided": ("The hall is free, provided that you book it.", "The hall is free."),
    "english less a fee": ("The fare is returned, less a fee of 5 EUR.", "The fare is returned."),
    "english apart from": ("The park is open apart from Mondays.", "The park is open."),
    "english not behind": ("The mill was running not long ago.", "The mill was running"),
}  # fmt: skip
"""A source, and a quote of it that says what the source does not."""

KEPT: dict[str, tuple[str, str]] = {
    "german": ("Die Klappe ist bei Sturm nicht zu öffnen.", "Die Klappe ist bei Sturm nicht zu öffnen."),
    "german plain gap": ("Die Lampe im großen Saal ist täglich zu löschen.", "Die Lampe … ist täglich zu löschen"),
    "english as good as": ("The new rope is as good as the old one.", "The new rope … as the old one"),
    "english up the hill": ("The path goes up the hill to the mill.", "The path goes … to the mill"),
    "german not only": ("Der Chor singt nicht nur im Dom.", "Der Chor singt nicht nur im Dom."),
    "french": ("Le bac part à midi et revient le soir.", "Le bac … revient le soir"),
    "spanish reflexive": ("La harina se guarda en el sótano y se pesa los lunes.", "La harina … se pesa los lunes"),
    "spanish reflexive left out": ("La harina fina se guarda en el sótano de la casa.", "La harina fina … en el sótano"),
    "italian reflexive left out": ("Il pane si cuoce nel forno della casa.", "Il pane … nel forno"),
    "english falls": ("The lake falls and rises with the moon.", "The lake … rises with the moon"),
    "dutch in order to": ("De brug gaat open om het schip door te laten.", "De brug gaat open … door te laten"),
    "german than": ("Der neue Kran hebt mehr als der alte am Kai.", "Der neue Kran … am Kai"),
    "french mai": ("Le port rouvre en mai avec une fête.", "Le port rouvre … avec une fête"),
    "negation of another sentence": ("It was late. The ferry left. Not a soul was there.", "The ferry left."),
    "fragment before a negation": ("Die Pumpe darf im Winter nicht laufen.", "im Winter"),
    "limit after a fragment": ("Refunds are paid in May if the goods are new.", "refunds are paid in May"),
    "contrast behind a comma": ("The rope is thick, not long.", "The rope is thick"),
    "contrast behind a comma, to its end": ("The rope is thick, not long.", "The rope is thick."),
    "fragment with a stop": ("Donors must not have had a tattoo lately.", "had a tattoo lately."),
    "polish": ("Prom płynie codziennie o szóstej rano.", "Prom płynie … o szóstej rano"),
    "turkish": ("Müze yaz boyunca her gün açıktır.", "Müze … her gün açıktır"),
    "japanese": ("門は雨の日も毎日開く。", "門は … 毎日開く"),
    "portuguese in the": ("O museu fica no centro da cidade e abre às seis.", "O museu … e abre às seis"),
    "german still": ("Das Becken ist noch Teil der Anlage.", "Teil der Anlage"),
    "italian of it": ("Il forno della casa ne produce molto e il pane è buono.", "Il forno … il pane è buono"),
    "swedish about": ("Boken handlar mycket och länge.", "Boken handlar … länge"),
}  # fmt: skip
"""A source, and a quote of it that keeps what the source says."""


@pytest.mark.parametrize(("text", "quote"), DROPPED.values(), ids=DROPPED.keys())
def test_a_quote_that_drops_a_limit_is_not_found(text: str, quote: str) -> None:
    assert not is_in_text(quote, text)


@pytest.mark.parametrize(("text", "quote"), KEPT.values(), ids=KEPT.keys())
def test_a_quote_that_keeps_the_statement_is_found(text: str, quote: str) -> None:
    assert is_in_text(quote, text)
