"""Words right before an address that announce it."""

import re

ANNOUNCED_ADDRESS_REGEX = (
    r"\baddress(?:[ ]\w+){0,2}[ ]?(?:is|was|:|to|=)?|\b(?:live|lives|living|stay|staying|located|based|office"
    r"|meet|deliver(?:ed)?|ship(?:ped)?|send(?:[ ]\w+)?|mov(?:e|ed|ing)|pick(?:[ ]\w+)?[ ]up"
    r"|drop(?:[ ]\w+)?[ ]off|home|house|come|find[ ]\w+|taxi|cab|ride)(?:[ ]\w+)?[ ](?:at|is|to|on|in|from)"
)
#: Words after which a number and a name in capitals are an address even without a kind of street.
ADDRESS_CUE_PATTERN = re.compile(
    rf"(?:{ANNOUNCED_ADDRESS_REGEX}|\b(?:at|to|outside|near|opposite|behind)|@)[ :]*$", re.IGNORECASE
)
#: Words after which a name is that of a street, although its kind is a plain word: "King's Parade".
STREET_CUE_PATTERN = re.compile(rf"(?:{ANNOUNCED_ADDRESS_REGEX}|\b(?:on|from))[ :]*$", re.IGNORECASE)
POSTCODE_CUE_PATTERN = re.compile(
    r"post ?code|postal code|\bzip\b"
    r"|(?:street|road|lane|avenue|way|close|place|row|centre|hill|drive|square|court)[ ]?,[ ]$",
    re.IGNORECASE,
)
ADDRESS_CUE_REACH_CHARS = 40


def is_announced(text: str, start: int, cue: re.Pattern[str]) -> bool:
    """Tell whether the words before a place in a text announce an address."""
    return cue.search(text[max(0, start - ADDRESS_CUE_REACH_CHARS) : start]) is not None
