"""What //TRANSLIT of iconv writes in place of a character that the target encoding lacks.

Source: the behaviour of glibc 2.36 in the locale C.UTF-8. A character that Unicode decomposes needs no entry.
"""

from __future__ import annotations

import unicodedata

_TABLE = (
    "¡! ¢c £GBP ¥JPY ¦| ©(C) «<< ¬! \u00ad- ®(R) ±+- ´' µu ·. ¸, »>> ÆAE ÐD ×x ØO ÞTH ßss æae ðd ÷/ øo þth "
    "ĐD đd ĦH ħh ıi ĸq ĿL ŀl ŁL łl ŉ'n ŊN ŋn ŒOE œoe ŦT ŧt ƀb ƁB ƂB ƃb ƇC ƈc ƉD ƊD ƋD ƌd ƐE ƑF ƒf ƓG ƕhv ƖI ƗI "
    "ƘK ƙk ƚl ƝN ƞn ƢOI ƣoi ƤP ƥp ƫt ƬT ƭt ƮT ƲV ƳY ƴy ƵZ ƶz ǢAE ǣae ǤG ǥg ǼAE ǽae ǾO ǿo ȡd ȤZ ȥz ȴl ȵn ȶt ȷj "
    "ȸdb ȹqp ȺA ȻC ȼc ȽL ȾT ȿs ɀz ɃB ɄU ɆE ɇe ɈJ ɉj ɌR ɍr ɎY ɏy ẚa ẜs ẝs ẞSS ỺLL ỻll ỼV ỽv ỾY ỿy "
    "‐- ‑- ‒- –- —-- ―- ‘' ’' ‚, ‛' “\" ”\" „,, ‟\" †+ •o ‵` ‶`` ‷``` ‹< ›> ⁊& ₠CE ₡C= ₢Cr ₣Fr. ₤L. ₧Pts ₩KRW "
    "₪ILS ₫Dong €EUR ₯GRD ₱PHP ₴UAH ₸KZT ₹INR ₺TL ₽RUB ₾GEL ℞Rx ™(TM) ℮e ←<- →-> ↔<-> ↮!<-> ⇍!<= ⇎!<=> ⇏!=> "
    "⇐<= ⇒=> ⇔<=>"
)
_WORDS = {word[0]: word[1:] for word in _TABLE.split(" ")} | dict.fromkeys("\u2060\u2061\u2062\u2063", "")
#: Forms of characters that are written around the decomposed one.
_FORMS = {"<circle>": "({})", "<fraction>": " {} "}
#: Characters that glibc does not decompose.
_UNKNOWN = frozenset("¨¯Ǆǅǆẛ‗‾")


def transliteration(character: str, *, accents: bool) -> str:
    """Return the ASCII text for a character, "?" if it has none.

    Args:
        accents: Letters lose their accents, as in all locales but C.
    """
    if character in _UNKNOWN:
        return "?"
    if character in _WORDS:
        return _WORDS[character]
    parts = unicodedata.normalize("NFKD", character).replace("\u2044", "/")
    text = "".join(part for part in parts if not unicodedata.combining(part))
    if not text.isascii() or (text != parts and not accents):
        return "?"
    form = _FORMS.get(unicodedata.decomposition(character).partition(" ")[0], "{}")
    return form.replace("{}", text)
