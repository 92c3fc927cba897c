"""Words by which a statement says one thing of another: what it is, where, when, whose and how much."""

import re

from tertulia.memory.worth_cues import RELATIVE_REGEX, WEEKDAY_REGEX

MONTH_REGEX = (
    r"jan(?:uary)?|feb(?:ruary)?|march|april|may|june?|july?|aug(?:ust)?|sept(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?|januar|februar|märz|mai|juni|juli|oktober|dezember|enero|febrero|marzo"
    r"|abril"
    r"|mayo|junio|julio|agosto|octubre|noviembre|diciembre|janvier|février|mars|avril|juin|juillet|août"
)
NUMBER_WORD_REGEX = r"\d[\d.,]*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|no"

#: What may stand before a statement: its number in a list, and words that say it is a correction.
LEAD_PATTERN = re.compile(
    r"(?:[-*+\u2022]\s+|[\[(#]?\d{1,7}[\])]?[.):]\s+|[\[(#]\d{1,7}[\])]?\s+"
    r"|(?:fact|item|entry|statement)\s*(?:no\. ?|#)?\d{0,7}\s*[.):\u2013\u2014-]\s+)"
    r"|(?:actually|correction|update|sorry|oops|no|well|ok(?:ay)?|btw|by the way|also|and|but|so|today|please"
    r"|change of plans?|i changed my mind|from now on|as of (?:now|today)|for the record|note|now|currently"
    r"|these days|nowadays|lately|of late|in fact|remember|(?:as )?(?:it )?turns out"
    r"|ahora|adesso|agora|maintenant|eigentlich|jetzt|fyi)"
    r"(?:[,:;]\s+|\s+(?:that\s+)?(?-i:(?=[a-z]|I\b)))"
    r"|(?:i|we) (?:believe|think|guess|said)(?: that)? |i(?:'d| would)? (?:want|like) you to ",
    re.IGNORECASE,
)
#: Words that say since when, or that it was otherwise; they are no part of what is said.
TIME_ADVERB_PATTERN = re.compile(
    r",? (?:now|currently|actually|these days|nowadays|at the moment|at present|from now on|instead(?! of)"
    r"|after all"
    r"|any ?more|again|sorry|of late|lately|recently|just|already|since then|jetzt|nun|inzwischen"
    r"|mittlerweile"
    r"|ahora|maintenant|désormais|adesso|ora|agora|finally"
    r"|last (?:week|month|year)|(?:this|next) (?:week|month|year))(?=[\s,.!]|$)"
)
#: Why it is otherwise now is no part of what is said.
NOW_THAT_PATTERN = re.compile(r",? now that (?:i|we|my|our)\b.*$", re.IGNORECASE)
#: Words that say that something was otherwise.
UPDATE_ADVERB_PATTERN = re.compile(
    r"\b(?:now|instead(?! of)|these days|nowadays|[Ll]ately|of late|from now on|[Aa]ctually|[Cc]orrection"
    r"|currently|jetzt"
    r"|inzwischen"
    r"|mittlerweile|[Aa]hora|maintenant|désormais|[Aa]desso|[Aa]gora)\b"
)
#: What a correction says it is not, at the end of a statement.
DENIAL_PATTERN = re.compile(r"[,;\u2013\u2014-]+ ?(?:and )?not (?P<denied>.{1,80}?)[.!]*$")
#: An article is part of a name where this goes on in capitals.
DETERMINER_PATTERN = re.compile(
    r"^(?:[Aa]ll (?=(?:my|our|the) ))?"
    r"(?:(?:[Mm]y|[Oo]ur|[Mm]ein\w*|[Uu]nser\w*|[Mm]is?|[Nn]uestr[oa]|[Mm]on|[Mm]a|[Nn]otre"
    r"|[Mm]i[ao]|[Mm]eu|[Mm]inha"
    r"|new|current) +|(?:[Tt]he|[Aa]n?|[Tt]his|[Dd]er|[Dd]ie|[Dd]as|[Ee]l|[Ll][aeo]|[Ii]l"
    r"|[Oo]) +(?=[^A-Z\s])|l')+"
)
#: Small letters only: a name may have these words too. Other languages' count where none of these stands.
STATED_COPULA_PATTERN = re.compile(r" (?:used to be|is|are|was|were|will be|has been|am) |'m |'re ")
FOREIGN_COPULA_PATTERN = re.compile(
    r" (?:ist|sind|war|heißt|heisst|lautet|es|son|está|est|s'appelle|è|é|fica) "
)
#: Ways of saying that something is so from now on.
CHANGE_PATTERN = re.compile(
    r" (?:(?:has|have|had|was|were|is|are|got|been|be|being|will|'s|to) )*(?:moved|pushed|postponed"
    r"|rescheduled"
    r"|changed|raised|lowered|increased|reduced|cut|brought forward|updated|slipped|shifted|delayed|set"
    r"|upgraded"
    r"|went up|went down|gone up|gone down|rose|risen|dropped|fell|grew|grown|shrank|renamed|extended)"
    r"(?: (?:back|up|down|forward|over))?(?: from .{1,60}?)? (?:to|until|till) "
)
#: A thing has an attribute: "Rio Claro has a population of 3,000".
HAD_ATTRIBUTE_PATTERN = re.compile(
    r"^(?P<whose>(?!(?:I|We) ).{2,80}?) (?:has|had) (?:an? |the )(?P<noun>[a-z]+(?: [a-z]+)?) of"
    r" (?P<value>.+)$"
)
#: Somebody has given a thing another value.
CHANGED_THING_PATTERN = re.compile(
    r"^(?:i|we|they)(?:'ve| have)? (?:upgraded|moved|pushed|postponed|rescheduled|changed|raised|lowered"
    r"|increased"
    r"|reduced|cut|updated|shifted|renamed|extended|set) (?P<thing>(?:my|our"
    r"|the) .{2,80}?) to (?P<value>.+)$",
    re.IGNORECASE,
)
#: Something else has a thing's place.
REPLACED_THING_PATTERN = re.compile(
    r"^(?P<value>[^,.;]{2,60}?) (?:has |have )?(?:replaced|displaced|ousted) [^,.;]{2,60}? as"
    r" (?P<thing>(?:my|our|the) .{2,60})$",
    re.IGNORECASE,
)
#: A verb phrase that names what kind of thing its value is: "plays the position of", "born in the city of".
TYPED_VALUE_PATTERN = re.compile(
    r" (?P<verb>(?:(?:is|was|are|were|has|had)(?= (?!the )[a-z]+ )|(?!(?:is|was|has) )[a-z]+(?:s"
    r"|ed))(?: [a-z]+){0,3})"
    r" the (?P<type>[a-z]+ (?=of )|(?:language|sport|instrument|religion|position|name"
    r"|nickname|codename|alias|callsign|ticker|symbol|brand) )(?:of )?(?=\S)"
)
MANY_VALUED_VERB_PATTERN = re.compile(
    r"\b(?:lik|lov|hat|enjoy|visit|know|knew|use|using|own|want|need|see|saw|read|wrote|written|bought|met"
    r"|tri|ha[sd]$"
    r"|remember|stud|explor|toured|part|one|member|fan|aware|proud|afraid|tired|full|made|in favou?r)\w*"
)
PASSIVE_REGEX = (
    r"performed|set|created|written|directed|composed|produced|founded|co-founded|established|formed"
    r"|developed"
    r"|designed"
    r"|built|invented|discovered|published|released|owned|employed|led|run|managed|headed|coached|chaired"
    r"|governed"
    r"|named after|represented|signed|sponsored|hosted|broadcast|manufactured|educated|raised|painted|sung"
    r"|portrayed|stored|kept|maintained|assigned|followed|preceded|buried|born|recorded|narrated|edited"
    r"|drawn|sculpted|commissioned|operated|originated|distributed|hired|taught|trained|headquartered"
)
#: Of what is done so, the next may be said beside the first, even if it is so only now.
MANY_VALUED_ACTION_PATTERN = re.compile(
    r"\b(?:likes?|loves?|hates?|enjoys?|dislikes?|ha(?:s|ve|d)|knows?|speaks?|owns?|wants?|needs?|plays?"
    r"|visit\w*|also|too|bought"
    r"|reads?|watch\w*|met|know|mag|habe|gusta|tengo|aime|ai|piace|ho|gosto|tenho)\b|'ve\b"
)
IRREGULAR_PARTICIPLE_REGEX = r"bought|sold|taught|built|led|lent|sent|won|held|sung|made|paid|caught"
#: What has been put into its one place.
PLACED_REGEX = (
    r"stationed|posted|moored|docked|anchored|berthed|housed|interred|deployed|registered|enrolled|quartered"
    r"|filed|installed|mounted|billeted|garrisoned|licensed|insured"
)
MANY_VALUED_PASSIVE_REGEX = (
    r"(?:used|loved|liked|visited|inspired|influenced|supported|affected|surrounded|joined|attended|watched"
    r"|read"
    r"|bordered|praised|criticised|criticized|nominated|awarded|admired|driven|caused|accompanied|defeated"
    r"|beaten"
    r"|interested|followed|seen|shown|taken|given|translated) "
)
#: Verbs with one value at a time; before each stands its subject, after it the value.
SINGLE_VALUED_VERB_PATTERN = re.compile(
    rf" (?P<verb>(?:is|was|are|were) (?:[a-z]+ly )?(?:{PASSIVE_REGEX})(?: [a-z]+ly)?"
    r" (?:by|in|at|on|to|for|from|with|as|under)"
    rf"|(?:is|was|are|were) (?:[a-z]+ly )?(?!{MANY_VALUED_PASSIVE_REGEX})"
    rf"(?:[a-z]+(?:ed|wn|en)|{IRREGULAR_PARTICIPLE_REGEX})(?: [a-z]+ly)? by"
    rf"|(?:is|was|are|were) (?:[a-z]+ly )?(?:{PLACED_REGEX}) (?:in|at|on|under|with)"
    r"|originate[sd]? (?:in|from)|majored in|speciali[sz]es? in|passed away (?:in|at)|debuted on"
    r"|can be found in|(?:is|was) (?:[a-z]+ly )?aired on|(?:is|was) within"
    r"|plays? (?:its|their) home (?:games|matches) (?:at|in)"
    r"|holds? (?:the |an? )?(?:citizenship|nationality) (?:of|in|from)"
    r"|(?:is|was) (?:best known for|a native speaker of|a player for|an employee of)"
    r"|(?:is|was) a member of the political party"
    r"|graduated from|stud(?:ied|ies|y) at|(?:is|are|was|were) from|takes? place (?:in|at|on)"
    r"|will take place (?:in|at|on)|premiered (?:in|on|at)"
    r"|debuted (?:in|for|with)"
    r"|(?:is|was) (?:a citizen of|a national of|famous for|native to|a native of|the (?:son|daughter) of)"
    r"|died (?:in|on|at|of)|works? as|worked as|plays? for|costs?|weighs?|measures?|lasts?"
    r"|opens? (?:at|on)|closes? (?:at|on)|starts? (?:at|on)|begins? (?:at|on)|ends? (?:at|on)|expires? (?:on"
    r"|in|at)"
    r"|leaves? (?:at|on)|departs? (?:at|on|from)|arrives? (?:at|on)|listens? on|runs? on|belongs? to"
    r"|reports? to"
    r"|comes? from|hails? from|earns?|drives? an?|wakes? up at|gets? up at|goes? to bed at|stud(?:y|ies) at"
    r"|go(?:es)? by|attends?|retired in|plays? as|competes? in|supports? the team|is due|are due"
    r"|meets? (?:at|on|every)) "
)
#: Where somebody or something is.
PLACE_VERB_PATTERN = re.compile(
    r" (?:(?:have|has|had|'ve|'s|is|are|am|was|were) )?(?P<verb>lives?|living|lived|resides?|residing"
    r"|relocated|moved"
    r"|based|located|situated|hosted|parked|stays?)(?: back"
    r"| over)?(?: from (?P<left>.{1,60}?))?"
    r" (?:in|at|to|near|on|under|behind) | is an? (?:city|town|village|suburb|district|municipality) in "
)
#: "Acme has its headquarters in Oslo".
SEAT_PATTERN = re.compile(r" ha(?:s|ve) (?:its|his|her|their) (?:head office|headquarters|seat) (?:in|at) ")
EMPLOYER_PATTERN = re.compile(
    r" (?:(?:am|'m|is|are|was|have|'ve|has) )?(?:works? (?:at|for|with)|working (?:at|for)|worked (?:at|for)"
    r"|joined"
    r"|employed (?:by|at)|start(?:ed|ing)? (?:(?:my|a|an|the) (?:new )?(?:job|position|role) "
    r"|working )?(?:at|with|for)"
    r"|got (?:a|the) (?:new )?job (?:at|with)|got hired (?:at|by)|hired by) "
)
#: What was so before something else is not so now.
FORMER_PATTERN = re.compile(
    r"\b(?:before (?:that|then|this)|previously|formerly|back then|before)$"
    r"|^(?:(?!'ve\b|\bhave\b|\bhas\b).){1,60}? (?:worked|lived|stayed|studied|resided) (?:at|in|for|with)"
    r" .*? (?:for (?:\w+ )?\w+ (?:years|months|weeks|decades)|for a (?:year|month|while)|until \d{4}"
    r"|(?:from|between) \d{4} (?:to|until|till|and) \d{4})$"
)
EMPLOYER_END_PATTERN = re.compile(
    r"^(?P<who>.{1,60}?) (?:(?:have|has|'ve|'s) )?(?:left|(?:quit|resigned from|lost) (?:(?:my|his|her|their"
    r"|the) "
    r"job (?:at|with) )?|was (?:fired|laid off) (?:from|by)|retired from|no longer works? (?:at|for)"
    r"|do(?:es)?n't work (?:at|for)) ?(?P<value>[A-Z][^,.;]{1,60}?)(?: (?:in|on|last|after|for) [^,.;]*)?$"
)
NATIONAL_PATTERN = re.compile(
    r"(?:\w+(?:ish|ese|i?ian|ean)|french|dutch|greek|german|swiss|czech|thai|american|mexican|african)\b",
    re.IGNORECASE,
)
PERSON_HEAD_PATTERN = re.compile(
    rf"(?:{RELATIVE_REGEX}|i|we|he|she|they|friend|colleague|teacher)$", re.IGNORECASE
)
PLACE_VALUE_PATTERN = re.compile(
    r"^(?:located |based |situated |parked |now )?(?:in|at|on|under|behind|near|next to|above|below|inside"
    r"|auf|à|en|em) "
)
TIME_VALUE_PATTERN = re.compile(
    r"(?!(?-i:(?!Next|Every|Each)[A-Z][a-z]+ [A-Z][a-z]))"
    r"(?:(?:scheduled|planned|set|due) (?:for|on|at|by) |due |on |at |every |by |until |from |um |am "
    r"|às )*(?:the )?"
    rf"(?:(?:next |each |every )?(?:{WEEKDAY_REGEX})s?\b|\d{{1,2}}(?:st|nd|rd|th"
    rf"|\.)?(?: of)? (?:{MONTH_REGEX})\b"
    rf"|(?:{MONTH_REGEX})\b|\d{{1,2}}[:.h]\d\d\b|\d{{1,2}} ?(?:am|pm|uhr|o'clock)\b|noon\b|midnight\b"
    r"|tomorrow\b"
    r"|\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./])"
    r"|(?:at|every day at|daily at|um) \d{1,2}(?![\d.,])",
    re.IGNORECASE,
)
FIGURE_VALUE_PATTERN = re.compile(
    r"[$€£#]?\d|(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b"
)
ARTICLE_VALUE_PATTERN = re.compile(r"(?!(?-i:An? [A-Z]))(?:an?|ein\w*|un[ao]?|une|um|uma) ", re.IGNORECASE)
CALLED_VALUE_PATTERN = re.compile(r"(?:called|named|known as) ")
#: A role that somebody has: "our accountant", "the head of sales".
ROLE_VALUE_PATTERN = re.compile(
    r"(?:(?:my|our|the)(?: new)?) (?P<role>[A-Za-z][\w-]*(?: [A-Za-z][\w-]*){0,2}?(?: (?:of|at|for|in) .+)?)$"
)
#: Who is the spouse of somebody is so of nobody else.
SPOUSE_VALUE_PATTERN = re.compile(r"the (?:spouse|wife|husband) of (?P<other>[A-Z].*)$")
COLOUR_REGEX = (
    r"(?:(?:dark|light|bright|pale) )?(?:red|blue|green|yellow|black|white|gr[ea]y|brown|blond|blonde|orange"
    r"|purple|pink|teal|turquoise|beige|silver|gold|violet|navy)"
)
COLOUR_VALUE_PATTERN = re.compile(rf"{COLOUR_REGEX}(?:(?:, | and |, and | with ){COLOUR_REGEX})*$")
#: Of things of which there may be several, one.
SINGLING_PATTERN = re.compile(
    r"\b(?:main|only|default|go-to|primary|current|usual|preferred|next|last|first|[a-z]{3,}est|best)\b"
)
#: A figure or how often, where a statement may say another one later; not what a thing is numbered by.
FRAME_FIGURE_PATTERN = re.compile(
    r"(?<=[a-z] )(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty"
    r"|fifty)\b(?! times)"
    r"|(?<=[a-z$€£,:] )[$€£]?\d[\d.,:]*(?:st|nd|rd|th|[ap]m|k|%)?(?= |$)(?: ?[ap]m\b)?|[$€£]\d[\d.,]*"
    r"|\b(?:every|each) (?:(?:other|two|three|four|\d+|second|third) )?(?:day|week|month|year|weekend|hour"
    r"|morning|evening)s?\b"
    r"|\b(?:once|twice|(?:\d+|three|four|five|six|seven) times) (?:a|per) (?:day|week|month|year)\b"
    r"|\b(?:daily|weekly|monthly|yearly|fortnightly)\b"
    r"|(?:(?<= rank )|(?<= ranks )|(?<= ranked ))"
    r"(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last)\b"
)
#: What a statement begins with and a number tells apart from others: "Shelf 3", "our invoice 112".
NUMBERED_SUBJECT_PATTERN = re.compile(r"(?:(?:the|our|my|this|that) )?[^\W\d_]+ ", re.IGNORECASE)
NUMBERED_THING_PATTERN = re.compile(
    r"\b(?:room|bus|version|chapter|phase|flat|pier|number|no\.|line|route|ticket|sprint|step|level|gate"
    r"|floor|track|lane"
    r"|building|apartment|part|act|episode|season|type|grade|class|platform|terminal|in|on|since|from|by|of"
    r"|at) $",
    re.IGNORECASE,
)
KEPT_THING_PATTERN = re.compile(
    r"^(?:i|we) (?:keep|store|park|put|hide|leave) (?P<thing>(?:my|our|the) .{2,40}?) (?P<value>(?:in|under"
    r"|on|at|behind|next to|with) .+)$",
    re.IGNORECASE,
)
NEW_HOLDER_PATTERN = re.compile(
    r"^(?:i|we)(?:'ve| have)?(?: got| have| found)? a new (?P<thing>[a-z]+(?: [a-z]+)?)(?:,| called| named"
    r"| and (?:his|her|the) name is) (?P<value>.+)$",
    re.IGNORECASE,
)
USUAL_PATTERN = re.compile(
    r"^(?:i|we) (?:usually|normally|typically|mostly|mainly) (?P<verb>[a-z]+)"
    r" (?P<value>[\w'-]+(?: [\w'-]+)?)$",
    re.IGNORECASE,
)
USUAL_LATER_PATTERN = re.compile(
    r"^(?:i|we) (?P<verb>[a-z]+) (?:(?:mostly|mainly) (?P<value>[\w'-]+(?: [\w'-]+)?)"
    r"|(?P<other>[\w'-]+(?: [\w'-]+)?) (?:mostly|mainly))$",
    re.IGNORECASE,
)
#: How somebody likes a thing of theirs: "I like my coffee black".
LIKED_WAY_PATTERN = re.compile(
    r"^(?:i|we) (?:like|take|drink|have|prefer|want|eat) my (?P<thing>[a-z]+)"
    r" (?P<value>(?!(?:and|but|because|so|a lot|very|too|most|best)\b)[\w'-]+(?: [\w'-]+){0,3})$",
    re.IGNORECASE,
)
INSTRUCTED_FORM_PATTERN = re.compile(
    r"^(?:please |always |from now on,? )*(?P<verb>write|answer|format|give|show|put|quote|use|name|address"
    r"|sign|return|(?:i|we) (?:want|need)|(?:i|we)(?:'d| would) like)"
    r"(?P<what>(?: (?!in\b|as\b|with\b)[a-z]+){0,3}?) (?:in|as|with) (?P<value>[\w+#. -]{2,40})$",
    re.IGNORECASE,
)
