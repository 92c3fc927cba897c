"""Credentials: what opens something is never proposed to be remembered."""

import re

from tertulia.memory.cues import compile_cues

CREDENTIAL_CUES = compile_cues(
    r"pass(?:word|phrase|code|wort|key)s?(?! (?:polic(?:y|ies)|managers?|rules?)\b)|pwd|pins?"
    r"|pin code|kennwort|contraseñas?|clave|mot de passe|senha|parola d'ordine"
    r"|api[- ]?keys?|(?:secret|private|access|license|licence|encryption|ssh|signing) keys?|secrets?|tokens?"
    r"|credentials?"
    r"|(?:credit|debit|bank) cards?|card numbers?|cvv|cvc|ibans?|bic|(?:bank )?account numbers?"
    r"|routing number|sort code"
    r"|kontonummer|kreditkarte\w*|número de (?:cuenta|tarjeta)|numéro de (?:compte|carte)"
    r"|social security|ssn|seed phrase|recovery (?:code|phrase)s?|security (?:code|answer|question)s?|2fa"
    r"|otp|log-?in"
    r"|(?:door|gate|alarm|entry|safe|unlock|locker|garage) (?:code|combination)s?|combination"
    r"|passport number|tax id",
)
CREDENTIAL_PATTERN = re.compile(
    r"(?<![\d+])(?:\d[ -]?){13,19}(?!\d)|\b[A-Z]{2}\d{2}(?: ?[\dA-Z]{4}){3,7}\b|\b\d{3}-\d{2}-\d{4}\b"
    r"|\b(?:sk|pk|rk|ghp|gho|ghs|glpat|xox[abp]|AKIA|AIza|hf|npm)[-_]?[A-Za-z0-9_-]{12,}"
    r"|-----BEGIN|\beyJ[\w-]{10,}\.|\w+://[^\s/@]+:[^\s/@]+@"
    r"|(?<![\w/.@-])(?=[\w+=-]*\d)(?=[\w+=-]*[A-Z])(?=[\w+=-]*[a-z])[\w+=-]{16,200}(?![\w/.@])"
)


def has_credential(text: str) -> bool:
    """Tell whether a text names or holds something that opens something."""
    return CREDENTIAL_CUES.search(text) is not None or CREDENTIAL_PATTERN.search(text) is not None
