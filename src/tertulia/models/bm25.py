"""BM25 over a handful of passages: which of them speak of what was asked."""

import re
from collections import Counter
from collections.abc import Sequence
from math import log

K1, B = 1.2, 0.75
TERM_PATTERN = re.compile(r"[^\W_]+")
STEM_ENDINGS = ("ings", "ing", "ies", "ers", "ed", "es", "er", "s")
#: English, Spanish, German and French words that stand in every text.
STOP_WORD_TEXT = """
    a about after all also am an and any are as at be because been before being but by can could did do
    does doing done for from get give had has have having he hello her here hey hi him his how i if in into
    is it its just know let like made make many me mean more most much my no not now of on one only or our
    out please said say says she should show so some tell than thank thanks that the their them then there
    these they this those to told too up us use very was we well were what when where which who why will
    with would you your

    al con como cual cuando de del donde el ella en es esta este la las lo los mas me mi no o para pero por
    que quien se si sin sobre su sus te tu un una y yo

    aber als am an auch auf aus bei bin bis das dass dem den der des die du ein eine einen er es für hat
    ich ihr im in ist ja mit nach nicht noch nur oder sie sind so über um und uns vom von vor war was wer
    wie wir wo zu zum zur

    au aux avec ce ces cette comment dans de des du elle en est et il je la le les leur lui mais mes ne
    nous on ou où par pas pour quand que qui quoi sa se ses son sont sur un une vous
"""
STOP_WORDS = frozenset(STOP_WORD_TEXT.split())


def terms(text: str) -> list[str]:
    """Return the words that mean something, in a form where `token` meets `tokens`."""
    return [stem(word) for word in TERM_PATTERN.findall(text.lower()) if word not in STOP_WORDS]


def stem(word: str) -> str:
    """Return a word without its commonest endings, as long as enough of it remains."""
    for ending in STEM_ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word.removesuffix(ending)
    return word


def bm25_scores(question: str, texts: Sequence[str]) -> list[float]:
    """Return how well each text answers to the question; zero where they share no word that matters."""
    counted = [Counter(terms(text)) for text in texts]
    lengths = [words.total() for words in counted]
    usual = max(1.0, sum(lengths) / max(1, len(lengths)))
    asked = set(terms(question))
    spread = {term: sum(term in words for words in counted) for term in asked}
    return [
        sum(
            inverse_document_frequency(spread[term], len(texts))
            * term_frequency_saturation(words[term], length / usual)
            for term in sorted(asked)
            if term in words
        )
        for words, length in zip(counted, lengths, strict=True)
    ]


def inverse_document_frequency(found_in: int, total: int) -> float:
    """Return how much a word tells passages apart: the rarer the more."""
    return log(1 + (total - found_in + 0.5) / (found_in + 0.5))


def term_frequency_saturation(times: int, relative_length: float) -> float:
    """Return what repeating a word adds: less and less, and less in long passages."""
    return times * (K1 + 1) / (times + K1 * (1 - B + B * relative_length))
