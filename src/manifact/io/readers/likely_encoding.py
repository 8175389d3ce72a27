"""A guess at the encoding of text that is not UTF-8, good enough for a sentence that a person checks."""

from __future__ import annotations

import re

#: Encodings by how they are recognised: what most of their characters beyond ASCII are in ordinary text. In western
#: languages these stand alone among other letters, in others they make up words, mostly in lower case; a Chinese or
#: Korean text has mostly characters of the first, frequent half of its set, a Japanese one as much kana as kanji.
_WESTERN = re.compile(r"(?<![^\x00-\x7f])[À-ÖØ-öø-ÿŒœŠšŽž€£§©®°·«»“”‘’„–—…•™]{1,2}(?![^\x00-\x7f])")
_CYRILLIC = re.compile(r"[а-яё]{2,}")
_GREEK = re.compile(r"[α-ωάέήίόύώ]{2,}")
_KANA = re.compile(r"[ぁ-んァ-ヶー、。]")
_HANGUL = re.compile(r"(?<![가-힣])[가-힣]{1,8}(?=[ ,.?!\n(]|$)")
_HAN = re.compile(r"[一-鿿，。、：；“”]{2,}")
#: Encoding, what is counted, what a character that counts is worth, and the first bytes of frequent characters.
CANDIDATES = (
    ("cp1252", _WESTERN, 1.0, None),
    ("cp1251", _CYRILLIC, 1.0, None),
    ("koi8-r", _CYRILLIC, 1.0, None),
    ("cp1253", _GREEK, 1.0, None),
    ("shift_jis", _KANA, 2.0, None),
    ("euc_jp", _KANA, 2.0, None),
    ("euc_kr", _HANGUL, 1.0, None),
    ("gb18030", _HAN, 0.9, (0xA1, 0xD7)),
    ("big5", _HAN, 0.9, (0xA1, 0xC6)),
)
#: Share of the characters beyond ASCII that must be as expected, and of zeros among the bytes of UTF-16.
ENOUGH, ZEROS = 0.6, 0.3


def likely_encoding(sample: bytes) -> str | None:
    """The encoding that a piece of text is most likely in, or None.

    >>> likely_encoding("caf\u00e9 noir".encode("latin-1")), likely_encoding("plain".encode("utf-16-le"))
    ('cp1252', 'utf-16-le')
    """
    even, odd = sample[::2], sample[1::2]
    for encoding, low, high in (("utf-16-le", even, odd), ("utf-16-be", odd, even)):
        if high.count(0) > ZEROS * len(high) > 10 * low.count(0) or (high and high.count(0) == len(high)):
            return encoding
    scores = {
        encoding: _score(sample, encoding, pattern, worth, first) for encoding, pattern, worth, first in CANDIDATES
    }
    best = max(scores, key=lambda encoding: scores[encoding])
    return best if scores[best] >= ENOUGH else None


def _score(
    sample: bytes, encoding: str, pattern: re.Pattern[str], worth: float, first: tuple[int, int] | None
) -> float:
    """The share of characters beyond ASCII that are what they should be; cut characters at both ends are let off."""
    text = sample.decode(encoding, "replace")
    beyond = [character for character in text if character > "\x7f"]
    if not beyond or beyond.count("\N{REPLACEMENT CHARACTER}") > max(2, len(beyond) // 50):
        return 0.0
    found = "".join(pattern.findall(text))
    if first is not None:
        found = "".join(c for c in found if first[0] <= c.encode(encoding)[0] <= first[1])
    return min(1.0, worth * len(found) / len(beyond))
