"""Choosing the files and passages of a prompt: those that are named, always there, or found by search."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from tertulia.context import plan_items, prompts
from tertulia.context.domain import RecalledPassage
from tertulia.context.fair_order import order_fairly
from tertulia.context.file_truncation import truncate_to_tokens
from tertulia.context.passage_series import fold_series, is_by_other_person
from tertulia.context.passage_wording import PassageWording
from tertulia.context.prompt_plan import SectionKind, WhyNot
from tertulia.context.selection_state import SEPARATOR_TOKENS, SelectionState
from tertulia.conversations.domain import USER_SPEAKER, speaker_of
from tertulia.models.calls import PromptMessage

#: Files that are always in context take at most this share of the room, and so do those that are named
#: where something else needs the rest.
FILES_MAX_SHARE = 0.5
#: Longer passages, as there are where messages are not cut, are not held against others.
COMPARED_PASSAGE_MAX_CHARS = 10_000


class PassageSelector:
    """Takes files and passages into a prompt as far as they fit."""

    def __init__(self, state: SelectionState) -> None:
        self._state = state
        self._memory = state.inputs.memory
        self._selection = state.selection

    def take_named_files(self, tokens_wanted_by_rounds: Callable[[], int]) -> None:
        """Take the files that the question names; rounds want tokens too, which are counted if need be."""
        left = self._room_for_named(tokens_wanted_by_rounds)
        for recalled_passage in self._memory.named:
            left -= self._take_file(
                recalled_passage, SectionKind.PASSAGES, self._selection.named, max_tokens=left
            )
        for absent in self._memory.absent:
            section = SectionKind.FILES if absent.always else SectionKind.PASSAGES
            self._state.leave_out(section, plan_items.of_absent(absent), absent.reason)

    def note_search_gaps(self) -> None:
        """Note what was not searched, and take the names of files that search does not find yet."""
        if not self._state.depth.passages:
            return
        for reason in self._memory.given_up:
            self._state.leave_out(SectionKind.PASSAGES, plan_items.of_search(reason), reason)
        paths = [absent.path for absent in self._memory.absent if absent.reason is WhyNot.INDEXING]
        if not paths:
            return
        note = PromptMessage("user", prompts.unindexed_files(paths))
        tokens = self._state.counter.message(note)
        if tokens <= self._state.room:
            self._state.room -= tokens
            self._selection.unindexed = paths

    def take_always_files(self, room: int) -> None:
        """Take the files that are always in context, at most their share of some room."""
        left = int(room * FILES_MAX_SHARE)
        named = {recalled_passage.passage.source_id for recalled_passage in self._selection.named}
        for recalled_passage in self._memory.always:
            if recalled_passage.passage.source_id in named:
                self._state.leave_out(
                    SectionKind.FILES, plan_items.of_recalled(recalled_passage), WhyNot.SHOWN_ALREADY
                )
            else:
                left -= self._take_file(
                    recalled_passage, SectionKind.FILES, self._selection.always, max_tokens=left
                )

    def take_found_passages(self) -> None:
        """Take the best passages that the prompt does not show already, in a budget that has their frame."""
        left = min(self._memory.budget, self._state.added)
        if not self._has_frame(SectionKind.PASSAGES):
            left -= self._state.frame_tokens(SectionKind.PASSAGES)
        folded = fold_series(self._unshown_passages(), question=self._state.inputs.now.question)
        for recalled_passage in folded.folded:
            self._leave_out_found(recalled_passage, WhyNot.REPEATED)
        for recalled_passage in map(self._to_pointer, order_fairly(folded.kept)):
            left -= self._take_found(recalled_passage, max_tokens=left)

    def _unshown_passages(self) -> Iterator[RecalledPassage]:
        """Yield what search found, but for what this depth goes without and what the prompt shows already."""
        shown = self._state.messages_shown()
        for recalled_passage in self._memory.found:
            if not self._state.depth.passages:
                self._leave_out_found(recalled_passage, WhyNot.LEVEL)
            elif recalled_passage.passage.source_id in shown or self._shows_passage(recalled_passage):
                self._leave_out_found(recalled_passage, WhyNot.SHOWN_ALREADY)
            else:
                yield recalled_passage

    def number_passages(self) -> None:
        """Number all passages in the order in which they stand, so that they can be cited."""
        always = len(self._selection.always)
        self._selection.always = number_passages(self._selection.always, first=1)
        both = number_passages([*self._selection.named, *self._selection.found], first=always + 1)
        named = len(self._selection.named)
        self._selection.named, self._selection.found = both[:named], both[named:]

    def _room_for_named(self, tokens_wanted_by_rounds: Callable[[], int]) -> int:
        """Return what named files may take: their share, or all that nothing else of worth would use."""
        share = int(self._state.room * FILES_MAX_SHARE)
        if sum(map(self._passage_tokens, self._memory.named)) <= share:
            return share
        frame = self._state.frame_tokens(SectionKind.PASSAGES)
        besides = tokens_wanted_by_rounds() + self._tokens_wanted_by_always_files()
        return max(share, self._state.room - frame - besides)

    def _tokens_wanted_by_always_files(self) -> int:
        if not self._memory.always:
            return 0
        return self._state.frame_tokens(SectionKind.FILES) + sum(
            map(self._passage_tokens, self._memory.always)
        )

    def _take_file(
        self,
        passage: RecalledPassage,
        section: SectionKind,
        taken: list[RecalledPassage],
        *,
        max_tokens: int,
    ) -> int:
        """Take a file that comes with the question, as many of its lines as fit; return what it takes."""
        frame = 0 if self._has_frame(section) else self._state.frame_tokens(section)
        room = min(max_tokens, self._state.room - frame)
        kept = (
            truncate_to_tokens(passage, room, self._passage_tokens) if passage.is_included_file else passage
        )
        tokens = self._take_passage(kept or passage, section, taken, max_tokens=max_tokens)
        if kept and kept.goes_on:
            self._state.leave_out(section, plan_items.of_rest(kept), WhyNot.REST)
        return tokens

    def _take_passage(
        self,
        passage: RecalledPassage,
        section: SectionKind,
        taken: list[RecalledPassage],
        *,
        max_tokens: int,
    ) -> int:
        """Take a passage if it fits, whole, and return what it takes by itself."""
        tokens = self._passage_tokens(passage)
        framed = tokens + (0 if self._has_frame(section) else self._state.frame_tokens(section))
        if tokens > max_tokens or framed > self._state.room:
            reason = WhyNot.NO_ROOM if framed > self._state.room else WhyNot.SHARE
            item = replace(plan_items.of_recalled(passage), tokens=tokens)
            self._state.leave_out(section, item, reason)
            return 0
        self._state.room -= framed
        taken.append(passage)
        return tokens

    def _take_found(self, passage: RecalledPassage, *, max_tokens: int) -> int:
        """Take a passage, unless one that was taken says the same; return what it takes more than before.

        Of two that say the same, the one nearer to its source stays: a file, a person, another model.
        """
        found, tokens = self._selection.found, self._passage_tokens(passage)
        if tokens > max_tokens and passage.alike:
            return self._take_found(replace(passage, alike=""), max_tokens=max_tokens)
        same = self._find_same(passage) if tokens <= max_tokens else None
        if same is None:
            return self._take_passage(passage, SectionKind.PASSAGES, found, max_tokens=max_tokens)
        added = tokens - self._passage_tokens(same)
        if self._authority(passage) <= self._authority(same) or added > min(max_tokens, self._state.room):
            self._leave_out_found(passage, WhyNot.REPEATED)
            return 0
        self._leave_out_found(same, WhyNot.REPEATED)
        found[found.index(same)] = passage
        self._state.room -= added
        return added

    def _find_same(self, passage: RecalledPassage) -> RecalledPassage | None:
        """Return the passage among those taken that says the same as another, if there is one."""
        if len(passage.text) > COMPARED_PASSAGE_MAX_CHARS:
            return None
        wording = PassageWording.of(passage.text)
        comparable = (
            found
            for found in self._selection.found
            if len(found.text) <= COMPARED_PASSAGE_MAX_CHARS and not is_by_other_person(found, passage)
        )
        return next((other for other in comparable if wording.repeats(PassageWording.of(other.text))), None)

    def _authority(self, passage: RecalledPassage) -> int:
        """Return how near a passage is to its source: a model quotes others rather than itself."""
        if prompts.is_file(passage):
            return 3
        speaker = passage.passage.speaker
        return 2 if speaker == USER_SPEAKER else int(speaker != speaker_of(self._state.inputs.model))

    def _leave_out_found(self, passage: RecalledPassage, reason: WhyNot) -> None:
        self._state.leave_out(SectionKind.PASSAGES, plan_items.of_recalled(passage), reason)

    def _has_frame(self, section: SectionKind) -> bool:
        found = self._selection.named or self._selection.found
        return bool(self._selection.always if section is SectionKind.FILES else found)

    def _passage_tokens(self, passage: RecalledPassage) -> int:
        return self._state.counter.text(prompts.passage_or_pointer(passage)) + SEPARATOR_TOKENS

    def _to_pointer(self, found: RecalledPassage) -> RecalledPassage:
        """Return a passage that search found as it is shown: a model that can read files is pointed to it."""
        is_pointer = self._state.depth.pointers and found.is_readable
        return replace(found, passage=replace(found.passage, is_pointer=is_pointer))

    def _shows_passage(self, found: RecalledPassage) -> bool:
        """Tell whether the prompt has a passage already, in a file that comes with the question."""
        files = [*self._selection.always, *self._selection.named]
        return any(is_passage_within(found, other) for other in files)


def is_passage_within(inner: RecalledPassage, outer: RecalledPassage) -> bool:
    """Tell whether all of a passage stands in another of the same file: that may be cut."""
    part, whole = inner.passage, outer.passage
    same = part.source_id == whole.source_id
    return same and whole.start_char <= part.start_char and part.end_char <= whole.end_char


def number_passages(passages: Sequence[RecalledPassage], *, first: int) -> list[RecalledPassage]:
    """Return passages with numbers, beginning with `first`."""
    return [
        replace(recalled, passage=replace(recalled.passage, number=number))
        for number, recalled in enumerate(passages, start=first)
    ]
