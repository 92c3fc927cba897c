"""What is told of a file where a passage of it is cited: its page, and who may read on."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

from tertulia.files.extract.domain import PageStart
from tertulia.infra.db import Tx, bound_list


@dataclass(frozen=True, slots=True)
class CitedFile:
    """A file of which a passage is cited."""

    id: str
    local_only: bool
    #: Models may read it by themselves.
    tool_accessible: bool
    #: Its pages, slides or sheets, in their order.
    pages: list[PageStart]

    def page_label(self, start_line: int, end_line: int) -> str:
        """Return the page, slide or sheet on which lines stand, or the first and the last of several."""
        labels = [self._page_at(line) for line in (start_line, end_line)]
        return " to ".join(filter(None, dict.fromkeys(labels)))

    def _page_at(self, line: int) -> str:
        number = bisect_right(self.pages, line, key=lambda page: page.start_line)
        if not number:
            return ""
        # A sheet's name is a heading of what stands on it, and goes with the file: here it has its number.
        kind = self.pages[number - 1].label.partition(" ")[0]
        return f"{kind} {number}" if kind == "sheet" else self.pages[number - 1].label


def find_cited_files(tx: Tx, file_ids: Iterable[str]) -> dict[str, CitedFile]:
    """Return what is told of files, whoever may see them: for passages that were fetched as visible."""
    sql = f"""SELECT id, local_only, tool_accessible, pages FROM files
        WHERE workspace_id = :workspace AND id IN {bound_list("ids")}"""
    ids = sorted(set(file_ids))
    return {file.id: file for file in tx.all(CitedFile, sql, ids=ids)} if ids else {}
