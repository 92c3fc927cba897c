"""Long values that are written once and seldom read: compressed where the engine does not do so itself.

PostgreSQL compresses long texts by itself. SQLite does not, and keeps bytes in a column of text as they are:
there, bytes in a column of text are a packed text. SQL cannot look into them.
"""

import zlib
from dataclasses import dataclass
from typing import NewType

#: What the first packed values have in common. No dictionary is ever changed: what was packed with it is read
#: with it alone. What begins with a byte of the second form was packed with another.
FIRST_DICTIONARY = (
    b'"local_only":true},"reason":"local_only"}]}"kind":"pinned","kind":"summary","kind":"files",'
    b'{"id":"summary","title":" of  points","tokens":,"pointer":{"summary_id":"sum_01","points":[0,1,2,3,4]}}'
    b'{"sections":[{"kind":"system","items":[{"id":"system:introduction",'
    b'"title":"Who the model is, and who sits at the table","tokens":52,"text_hash":"'
    b'{"id":"system:project","title":"The project","tokens":10,"text_hash":"'
    b'{"id":"system:instructions","title":"Instructions","tokens":{"id":"system:brief","title":"The brief",'
    b'{"id":"system:files","title":"The list of the project\'s files","tokens":'
    b'{"id":"system:abilities","title":"What the model can do","tokens":68,"text_hash":"'
    b'}],"around":-3},{"kind":"tools","items":[{"id":"tools",'
    b'"title":"list_project_files, read_project_file, search_project, read_tool_result","tokens":430,'
    b'"text_hash":"{"kind":"question","items":[{"id":"message:msg_01","title":"","tokens":69,'
    b'"pointer":{"message_ids":["msg_01"],"round_id":"rnd_01","round_number":1}}],"around":78}],'
    b'"left_out":[{"section":"rounds","item":{"id":"rounds:older","title":"13 earlier rounds","tokens":0},'
    b'"reason":"older"},{"section":"summary","reason":"shown_already","reason":"no_room"},'
    b'{"kind":"rounds","items":[{"id":"round:rnd_01","title":"Round 1: ","tokens":250,'
    b'"pointer":{"message_ids":["msg_01","msg_01"],"round_id":"rnd_01","round_number":1}},'
    b'{"kind":"passages","items":[{"id":"passage:msg_01:0-764","title":"An earlier conversation, round 6",'
    b'"tokens":214,"pointer":{"message_ids":["msg_01"],"project_id":"prj_01","conversation_id":"cnv_01",'
    b'"round_id":"rnd_01","round_number":6,"start_line":1,"end_line":1,"end_char":764,"number":4}},'
    b'{"section":"passages","item":{"id":"passage:fil_01:937-1880","title":".md, lines 3-3","tokens":254,'
    b'"pointer":{"file_id":"fil_01","project_id":"prj_01","path":".md","start_line":3,"end_line":3,'
    b'"start_char":937,"end_char":1880,"number":1}},"text_hash":""},"reason":"share"},'
    b'{"kind":"decision","text":"","sources":["msg_01"],"rounds":[1],"speakers":["user"]},{"kind":"topic","text":"'
)
#: The same for later values, the most frequent last.
SECOND_DICTIONARY = (
    b"whether although because before between through without another different following several together "
    b"everything nothing something however therefore question answer example number version system message "
    b"conversation project file model reply round table user people person time place part line name value "
    b"result change order case point work word kind first second last only every each never always still "
    b"again also then than when where which while who why how what about after into over under should would "
    b"could cannot does not have been were being made used using given shown told asked said says their "
    b"there these those this that they them with from will may must can is not it is has the same as one of "
    b"the most of the in the to the on the for the and the at the by the with a that is are not to be is a "
    b"of a in a and a for a as a it was on a an is in of to and the . The A It In What I "
    + FIRST_DICTIONARY
    + b'"summary:","title":"\\u001a","tokens":,"text":"Today is Wednesday,  (UTC).'
    b'"text":"This is round  of the conversation."}{"id":"conversation:date","title":"Today\'s date",'
    b'"tokens":13,'
    b'{"id":"conversation:round","title":"Which round of the conversation this is","tokens":9,"text":"'
    b'{"conversationDense":0,"globalDense":0,"ftsLexical":0,"summaries":0,"profile":0}'
    b'{"totalMs":20.0,"denseMs":1.0,"embeddingMs":1.0,"ftsMs":1.0,"rerankMs":10.0}'
    b'{"hybrid":true,"chunking":true,"structure":true,"dense":true,"rerank":true,"follow_names":true,'
    b'"multi_query":false,"hyde":false,"token_budget":1000,"summary_frequency":5,"rerank_alpha":null,'
    b'"rerank_beta":null,"rerank_gamma":null}{"message":2,"file":1,"summary":1}'
    b'<passage number="1" source=".md, lines 1-3">\n</passage>'
    b'[{"number":1,"kind":"file","source_id":"fil_01","project_id":"prj_01","start_char":0,"end_char":1,'
    b'"tokens":2,"path":".md","heading":"","start_line":1,"end_line":3},'
    b'{"number":1,"kind":"message","source_id":"msg_01","project_id":"prj_01","start_char":0,"end_char":1,'
    b'"tokens":9,"start_line":1,"end_line":1,"conversation_id":"cnv_01","round_id":"rnd_01","round_number":1,'
    b'"speaker":"agent:"},{"sections":[{"kind":"system","items":[{"id":"system:introduction",'
    b'"title":"Who the model is, and who sits at the table","tokens":142,"text_hash":""},[1,3]],"around":7},'
    b'{"kind":"rounds","items":[[4,1,300,],"around":-7},{"kind":"passages","items":[[4,3]],"around":45},'
    b'{"kind":"tools","items":[[8,1]]},{"kind":"conversation","items":[[9,2]],"around":7},'
    b'{"kind":"question","items":[[11,1]],"around":-3}],"left_out":[[0,14]]}'
)
#: The first byte of a value of the second form: after it comes bare deflate, without zlib's header and sum.
SECOND_FORM = b"\x02"
SECOND_FORM_WINDOW_BITS = -15
SECOND_FORM_LEVEL = 9

#: A text that may be packed; reading its row unpacks it.
PackedText = NewType("PackedText", str)


@dataclass(frozen=True, slots=True)
class Packed:
    """A value to be written that no statement looks into."""

    value: object


def pack_text(text: str) -> bytes:
    """Return a text compressed."""
    packer = zlib.compressobj(level=SECOND_FORM_LEVEL, wbits=SECOND_FORM_WINDOW_BITS, zdict=SECOND_DICTIONARY)
    return SECOND_FORM + packer.compress(text.encode()) + packer.flush()


def unpack_text(column: str | bytes) -> str:
    """Return a text as it was, whether it was packed or not."""
    if isinstance(column, str):
        return column
    if column.startswith(SECOND_FORM):
        unpacker = zlib.decompressobj(wbits=SECOND_FORM_WINDOW_BITS, zdict=SECOND_DICTIONARY)
        column = column[1:]
    else:
        unpacker = zlib.decompressobj(zdict=FIRST_DICTIONARY)
    return (unpacker.decompress(column) + unpacker.flush()).decode()
