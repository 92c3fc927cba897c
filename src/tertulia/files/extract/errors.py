"""Why a file gives no text, or only a part of it; the sentence is for the person.

Invalid
├── Unreadable      nothing can be had from this file
└── Cut             the beginning is there, the rest was too much
"""

from tertulia.core.errors import Invalid


class TextUnreadable(Invalid):
    """Nothing can be had from this file as it is."""

    code = "file_unreadable"


class FileTextCut(Invalid):
    """A limit was reached: what came before it is kept."""

    code = "file_text_cut"
