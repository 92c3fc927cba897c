"""Marks of what people paste into a message, play or suppose: it is not theirs to be remembered."""

import re

from tertulia.memory.cues import compile_cues

#: Where one of these stands, nothing of the message is remembered: it speaks to machines, is a letter, is
#: about a text that stands in it, is played, or is not to be kept.
DISOWNING_CUES = (
    compile_cues(
        r"(?:ignore|disregard|forget|(?<!facts )(?<!entries )(?<!items )(?<!ones )(?<!numbers )override)"
        r" (?:all |any |the |your |my )*(?:previous|prior|above|earlier"
        r"|system|rules)"
        r"|(?:save|write|add|store|put) (?:this|that|it|the following) (?:in|into|to) (?:\w+ )?memor(?:y"
        r"|ies)",
        r"(?:do not|don't|never|please don't) (?:remember|save|store|memori[sz]e|keep|note|record|write down)"
        r"|not to be (?:remembered|saved|stored)|off the record|forget (?:that|what|about)|between (?:us"
        r"|you and me)",
        r"nicht (?:merken|speichern)|merk dir (?:das |es )?nicht|no (?:recuerdes|guardes)|ne (?:retiens"
        r"|garde) pas"
        r"|non (?:ricordare|salvare)|não (?:guardes|memorizes)",
        r"(?:let's|let us) (?:play|role-?play|pretend|imagine)|role-?play\w*|pretend(?:ing)?|imagine|act as"
        r"|acting as",
        r"(?:suppose|assume|assuming|let's (?:say|assume|suppose)|say that|hypothetically|what if"
        r"|in this scenario)",
        r"once upon a time|my character|the narrator|repeat after me|stell dir vor|angenommen|imagina\w*"
        r"|supongamos"
        r"|imaginons|imagine[zs]?|supposons|immagina|supponiamo|suponha\w*",
        r"the user|this user|the assistant",
        r"first person|(?:from|in) the (?:perspective|voice|style) of|as if you were|persona|monologue"
        r"|dialogue",
        r"(?:here(?:'s| is| are)|this is|below is) (?:an?|the|some|my [\w]+'s) (?:[\w-]+ ){0,2}"
        r"(?:e-?mails?|mails?|messages?|letters?|reviews?|comments?|posts?|tweets?|quotes?|poems?|texts?|articles?|transcripts?"
        r"|excerpts?|snippets?)",
        r"(?:this|the) (?:text|e-?mail|mail|message|letter|article|page|thread|paragraph|passage|file|output"
        r"|log|note"
        r"|document|transcript|snippet|html|story|chat)|(?:the )?(?:text |message |code )?above"
        r"|(?:the )?text below",
    ),
    re.compile(
        r"^[ \t]*(?:system|assistant|developer|user|human|ai|bot|tool|function|instructions?)[ \t]*[:>]"
        r"|^[ \t]*\[(?:system|assistant|user|inst)\b|<\|\w+\|>|\[/?INST\]|<<SYS>>|\[/[a-z][\w-]{2,20}\]"
        r"|^[ \t]*</?(?:system|instructions?|user|assistant|memory|context)\b"
        r"|^(?:from|to|subject|cc|date|sent|von|an|betreff|de|para|asunto|objet|da|oggetto|assunto): .*\n"
        r"(?:.*\n){0,3}?(?:from|to|subject|cc|date|sent|von|an|betreff|asunto|objet|oggetto|assunto): "
        r"|^-{2,}[ \t]*(?:original|forwarded|begin|weitergeleitete|mensaje|message)|^on .{4,60} wrote:[ \t]*$"
        r"|^(?:dear|kind regards|best regards|regards|sincerely|yours|best wishes|cheers|sehr geehrte\w*"
        r"|liebe[rs]?"
        r"|mit freundlichen|viele grüße|estimad[oa]s?|un saludo|cordialement|bien à vous|cordiali saluti"
        r"|atenciosamente)"
        r"\b[^\n.?!]{0,40},?[ \t]*$"
        r"|^(?-i:[a-z][a-z_-]{0,20}): \S[^\n]*\n(?-i:[a-z][a-z_-]{0,20}): \S"
        r"|^[ \t]*-{3,}[ \t]*$|^[ \t]*={3,}[ \t]*$"
        r"|^(?:hi|hello|hey|dear) (?:team|all|everyone|everybody|sir|madam|folks|both)\b"
        r"|^(?:thanks|thank you|many thanks|best|cheers|love|yours|greetings|vg|lg|saludos|merci|grazie"
        r"|obrigad[oa]),?[ \t]*\n"
        r"[ \t]*(?-i:[A-Z])[\w. -]{0,40}[ \t]*$"
        r"|^[ \t]*[-\u2013\u2014~]{1,3}[ \t]?(?-i:[A-Z])\w+[ \t]*\Z|^sent from my \w+"
        r"|\b(?:which|what) (?:tense|mood|voice|register|case|language|grammar)\b|\bgrammatical(?:ly)?\b"
        r"|\bwho (?:wrote|said) (?:this|that|it)\b|<-|\u2190|\bwrite an? \w+ (?:from|by|of|as) (?-i:[A-Z])"
        r"|^is (?:that|this) .{0,40}\b(?:line|sentence|text|opening|title|wording|phrasing|message|start"
        r"|ending)\b"
        r"|^you(?:'re| are) (?-i:[A-Z])\w+[.,!]|^you are (?:an?|my|the|now) |[.!] you are (?:an?|my|the"
        r"|now) ",
        re.IGNORECASE | re.MULTILINE,
    ),
)
#: A row that begins what is pasted: a heading, a file's name, a shell's prompt, a log, a diff, a traceback.
PASTE_START_PATTERN = re.compile(
    r"\s{0,3}#{1,6}\s|\s*[\w./-]+\.(?:md|txt|py|js|ts|json|ya?ml|toml|csv|log|html?|cfg|ini|sh)\s*:?\s*$"
    r"|\s*[$%#>]\s+\S|\s*(?:>>>|\.\.\.)\s|[\w.-]+@[\w.-]+[:~].*[$#]|diff --git|@@ |traceback \("
    r"|\s*/\w+|(?:page|seite|página) \d+ (?:of|von|de) \d+|copyright\b|(?:begin|start) (?:of )?(?:document"
    r"|text|file|quote)"
    r"|[\w -]{0,30}\b(?:results?|output|transcript|lyrics|excerpt|abstract|notes|minutes)\s*$"
    r"|\s*(?:\w+ )?\d\d:\d\d:\d\d\b|\s*\[?\d{4}-\d\d-\d\d[ T]\d\d:\d\d|\s*[{<|]|\s*\[[{\"']",
    re.IGNORECASE,
)
#: A row that is no prose of a person by itself.
CODE_ROW_PATTERN = re.compile(
    r"\s*(?:%|//|/\*|\*/|--\s|;;|#|<|\||[+-]\S|[{}()\[\]])|.*[;{}]\s*$|\s*\w+(?:\.\w+)*\s*(?:=|\(|:=|\+=)"
    r"|\s{4,}\S|\t"
    r"|\s*(?:import|from|def|class|const|let|var|return|function|public|private|int|void|SELECT|INSERT) "
)
#: What follows such words is what they are about: a text to be worked on, or somebody else's words.
TEXT_REQUEST_PATTERN = re.compile(
    r"\b(?:summari[sz]e|translate|proof-?read|correct|fix|rewrite|rephrase|paraphrase|shorten|improve|edit"
    r"|polish"
    r"|review|analy[sz]e|explain|classify|check|continue|complete|format|repeat|read|transcribe|generate"
    r"|write|draft"
    r"|compose|create|phishing|übersetz\w*|korrigier\w*|fass\w*|verbesser\w*|schreib\w*|traduc\w*|corrige\w*"
    r"|resum\w*|escrib\w*"
    r"|tradui\w*|résum\w*|écri\w*|scriv\w*|tradu\w*|riassum\w*|escrev\w*)\b.*\b(?:this|these|following|below"
    r"|next (?:sentence|line|text|paragraph|message)s?|folgend\w*|diese\w*|esto|este|siguiente"
    r"|ceci|suivant\w*|seguente|questo|seguinte|isto)\b"
    r"|^(?:please )?[a-z]+ (?:this|these)\b|\bfill in\b|\bis this\b|\bwhat (?:does|is|do"
    r"|language is) (?:this|these)\b|\b(?:sent|forwarded|gave|wrote"
    r"|showed) (?:me|us) (?:this|these)\b"
    r"|\b(?:check|rate|review|improve|correct|fix|grade|judge|polish|edit|shorten|read"
    r"|grammar)\b.*\bmy (?:\w+ )?(?:essay|text|letter"
    r"|mail|e-?mail|draft|poem|post|story|bio|paragraph|speech|abstract|application|introduction|summary"
    r"|writing)\b"
    r"|\b(?:the following|as follows|(?:goes?|looks?|reads?) like this|says this|said this)\b",
    re.IGNORECASE,
)
#: What may stand before a colon in one's own words.
OWN_COLON_PATTERN = re.compile(
    r"(?:please )?(?:remember|note|fyi|btw|by the way|one (?:more )?thing|for context|context|background"
    r"|about me|update"
    r"|correction|decision|decided|agreed|change of plans?|quick note|reminder|for the record"
    r"|just so you know|(?:i've |i have )?made up my mind|merk dir"
    r"|recuerda|note bien|hinweis|info)\s*$",
    re.IGNORECASE,
)
#: A longer quotation is somebody's words.
QUOTATION_PATTERN = re.compile(
    r"\"[^\"\n]{1,2000}\"|\u201c[^\u201d\n]{1,2000}\u201d|\u00ab[^\u00bb\n]{1,2000}\u00bb"
    r"|\u201e[^\u201c\n]{1,2000}\u201c"
    r"|(?<!\w)['\u2018](?=\w)[^'\u2019\n]{12,2000}['\u2019](?!\w)"
)
QUOTATION_MAX_WORDS = 4
#: A row that is a title of what follows: a few words in no sentence, which no person says of themselves.
TITLE_ROW_PATTERN = re.compile(
    r"(?!(?:I|We|My|Our|Hi|Hello|Hey|Good|Thanks|Thank|Please|Ok|Okay|Yes|No|So|Also|About me|Me|Note"
    r"|Notes to self|FYI|PS|Btw|Ich|Mein\w*"
    r"|Mi|Yo|Je|Mon|Ma|Io|Eu|Meu|Minha|Hallo|Hola|Bonjour|Ciao|Olá|Call|Always"
    r"|Never)\b)[A-Z][\w'\u2019&/,:. -]{2,60}(?<![.,:])\s*$"
)
BLANK_ROW_PATTERN = re.compile(r"[ \t]*\r?\n[ \t]*\r?\n")
