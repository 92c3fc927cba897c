"""Long values that are written once and seldom read: compressed where the engine does not do so itself.

PostgreSQL compresses long texts by itself. SQLite does not, and keeps bytes in a column of text as they are:
there, bytes in a column of text are a packed text. SQL cannot look into them.
"""

import zlib
from dataclasses import dataclass
from typing import Any, NewType

#: What such values have in common, the most frequent last. Never to be changed: what was packed with it is
#: read with it alone.
PACKING_DICTIONARY = (
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
PACKING_LEVEL = 6

#: A text that may be packed; reading its row unpacks it.
PackedText = NewType("PackedText", str)


@dataclass(frozen=True, slots=True)
class Packed:
    """A value to be written that no statement looks into."""

    value: Any


def pack_text(text: str) -> bytes:
    """Return a text compressed."""
    packer = zlib.compressobj(level=PACKING_LEVEL, zdict=PACKING_DICTIONARY)
    return packer.compress(text.encode()) + packer.flush()


def unpack_text(column: str | bytes) -> str:
    """Return a text as it was, whether it was packed or not."""
    if isinstance(column, str):
        return column
    unpacker = zlib.decompressobj(zdict=PACKING_DICTIONARY)
    return (unpacker.decompress(column) + unpacker.flush()).decode()
