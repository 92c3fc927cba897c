"""Words after a bare number by which it may be an hour or a day: nothing that could be counted follows."""

import re

FOLLOWING_TEXT = """
    and or but so because since although though while if unless when where which who that than then as also
    too only just even still already again anyway otherwise maybe perhaps please pls thanks thank sorry
    is isn't are aren't was wasn't were be will won't would wouldn't should shouldn't could couldn't can
    can't cannot may might must has hasn't have had does doesn't did didn't don't not
    work works worked suit suits sound sounds look looks seems fits means
    i i'm i'll i'd we we'll we're you you'll he she they it it's there here the this my your our his her their
    at in on for from with without by before after around about until till through thru during next via
    today tomorrow tonight yesterday now sharp instead
"""
#: Judgements, at the end of what is said: "the 3rd best player" is no day.
JUDGEMENT_TEXT = "better best fine good great ok okay perfect ideal free available possible full"
FOLLOWING_REGEX = (
    "(?:(?:"
    + "|".join(re.escape(word).replace("'", "['\u2019]") for word in FOLLOWING_TEXT.split())
    + r")(?![\w'\u2019])|(?:"
    + "|".join(JUDGEMENT_TEXT.split())
    + r")(?=\s*(?:$|[.,;!?\n]|(?:for|with|then|too)\b)))"
)
