"""Remarks on the talk itself, such as "Thanks, now make it shorter": nothing can be found for them."""

from tertulia.core.stop_words import STOP_WORDS
from tertulia.retrieval.index_words import INDEX_WORD_PATTERN

#: English, Spanish, German and French words for going on, for praise and blame, and for how to say a thing.
REMARK_WORDS = """
    actually again agreed alright amazing awesome better brief briefer briefly bullet bullets bye carry
    casual cheers clarify clearer continue cool correct detailed differently elaborate else english
    exactly excellent expand explain fewer fine finish formal formally french funnier further german go
    going good great haha hm hmm improve instead interesting italian less longer maybe nah next nice nope oh
    ok okay perfect polite politer portuguese proceed quickly really redo rephrase repeat retry revise
    reword rewrite right shorten shorter shortly simpler simplify simply sorry spanish still stop summarise
    summarize sure thx translate true try understand understood wait wonderful wow write wrong yeah yep yes

    adelante ahora alemán así bien breve bueno claro continúa corrige corta corto español espera exacto
    explica explícalo favor francés genial gracias hazlo inglés mejor menos muchas más perfecto repite resume
    sigue sí traduce tradúcelo vale ya

    ausführlicher besser bitte danke deutsch einfacher englisch erkläre erklären etwas fasse französisch
    genau genauer gut jetzt klar kürzer länger mach mehr nein nochmal prima richtig schön spanisch stimmt
    super toll vielen warum weiter weniger wiederhole zusammen übersetze

    accord allemand anglais bien bon bref clair continuez court courte encore espagnol explique expliquez
    français génial maintenant merci mieux moins non oui parfait plus pourquoi reformule répète résume suite
    traduis très vas y ça
"""
#: A longer text names something.
REMARK_MAX_CHARS = 2_000
REMARK_VOCABULARY = STOP_WORDS.union(REMARK_WORDS.split())

#: English, Spanish, German and French words with which somebody says that they have heard, and no more.
ACKNOWLEDGEMENT_WORDS = """
    absolutely acknowledged anything assist certainly confirm confirmed course definitely detail details
    duly feel free future glad got happy hear heard help helpful indeed info inform information keep
    keeping kept letting logged makes memo mind need note noted noting point problem question questions
    receive received record recorded reference remember remembered remembering roger save saved sense
    sharing sounds stored take taken update updated welcome d ll m re s t ve

    anotado apuntado cuenta entendido guardado información memoria notado recibido recordaré registrado tengo
    tendré tomado

    bescheid gemerkt gespeichert information kein merke notiert problem verstanden vermerkt

    bien compris entendu enregistré information mémorisé note noté problème reçu retenu souviendrai
"""
ACKNOWLEDGEMENT_VOCABULARY = REMARK_VOCABULARY.union(ACKNOWLEDGEMENT_WORDS.split())


def is_remark(text: str) -> bool:
    """Tell whether a text speaks of the talk alone: it names nothing that one could look for."""
    if len(text) > REMARK_MAX_CHARS:
        return False
    return all(word in REMARK_VOCABULARY for word in INDEX_WORD_PATTERN.findall(text.lower()))
