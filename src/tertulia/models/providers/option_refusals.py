"""Telling whether a provider refuses an option of a call, such as the effort, from what it answers.

Some name the parameter in a field of its own, all say it in a sentence. A sentence counts only where
words of refusal stand right beside the option's name: "reasoning" and "thinking" also occur in names of
models and in complaints about other things.
"""

import re
from dataclasses import dataclass
from typing import cast

from tertulia.core.json_object import JsonObject
from tertulia.core.untrusted_json import JsonUnreadable, read_json

#: What may stand between a refusal and the name that it is about.
BEFORE_NAME = (
    r"(?:[\s:'\"`\[({,\\]|\b(?:the|that|requested|request|parameters?|params?|arguments?|fields?|options?|names?"
    r"|keys?|keywords?|inputs?|values?|supplied|provided|configurable|setting|adaptive|extended)\b)*"
)
#: What may stand between a name and its refusal.
AFTER_NAME = (
    r"(?:[\s:'\"`\])},\\]|\b(?:msg|message|parameters?|options?|settings?|levels?|budgets?|config|efforts?|mode"
    r"|the|is|are)\b)*"
)
REFUSAL_BEFORE = (
    r"(?:\bnot (?:support|accept|allow|permit|recogni[sz]e)|\bunsupported|\bunknown|\bunrecogni[sz]ed"
    r"|\bunexpected|\bextra_forbidden|\bno endpoints found that support)"
)
REFUSAL_AFTER = (
    r"(?:\bnot (?:currently )?(?:supported|enabled|available|permitted|allowed|accepted|recogni[sz]ed)"
    r"|\bunsupported|\bunrecogni[sz]ed|\bunknown|\bdeprecated|\bextra inputs are not permitted"
    r"|\bdoes not support ['\"\d]|\binput tag|\bmay only be set|\bonly \S{1,8} is allowed|\bonly the default)"
)
REFUSAL = re.compile(f"{REFUSAL_BEFORE}|{REFUSAL_AFTER}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class OptionPattern:
    """The names of an option in the interfaces of the providers, and the sentences that refuse it."""

    name: re.Pattern[str]
    sentence: re.Pattern[str]

    @classmethod
    def of(cls, name: str) -> "OptionPattern":
        """Return what an option is recognised by; a word inside a model's name is not its name."""
        whole = rf"(?<![\w./:-])(?:\w*config\.)?(?:{name})(?![\w/-])"
        sentence = rf"{REFUSAL_BEFORE}{BEFORE_NAME}{whole}|{whole}{AFTER_NAME}{REFUSAL_AFTER}"
        return cls(re.compile(whole, re.IGNORECASE), re.compile(sentence, re.IGNORECASE))

    def is_refused(self, body: str) -> bool:
        """Tell whether an answer refuses the option."""
        return self.sentence.search(body) is not None or self._is_refused_parameter(body)

    def _is_refused_parameter(self, body: str) -> bool:
        """Tell whether the option is the parameter that the answer names, and is refused as such."""
        error = error_object(body)
        message = f"{error.get('code')} {error.get('type')} {error.get('message')}"
        parameter = self.name.fullmatch(str(error.get("param")))
        return parameter is not None and REFUSAL.search(message.replace("_", " ")) is not None


def error_object(body: str) -> JsonObject:
    """Return the error object of an answer, or nothing where it has none."""
    try:
        answer = read_json(body)
    except JsonUnreadable:
        return {}
    error = cast("JsonObject", answer).get("error") if isinstance(answer, dict) else None
    return cast("JsonObject", error) if isinstance(error, dict) else {}


EFFORT_OPTION = OptionPattern.of(
    r"reasoning(?:[._ ]?effort)?|effort|think|thinking(?:[_ ]?(?:config|budget|level))?(?:\.thinking_?\w+)?"
)
TEMPERATURE_OPTION = OptionPattern.of("temperature")
