"""Inputs of prompts for tests: arbitrary talk, files and wishes, where every text says which one it is.

Each message, point, passage and listed file has a mark such as `«r3-ada»` in its text and nowhere
else, so that a test can tell from a prompt alone what reached it.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from tertulia.context.domain import (
    ConversationFacts,
    FileList,
    ListedFile,
    PastReply,
    PastRound,
    PinnedMessage,
    ProjectFacts,
    PromptInputs,
    PromptSettings,
    RecalledPassage,
    RecallResult,
    TitleFacts,
)
from tertulia.context.prompt_assembly import Prompt, assemble_prompt
from tertulia.context.prompt_plan import SectionKind
from tertulia.context.token_budget import QuestionTooLong
from tertulia.context.visibility import OnlyForLocalModels
from tertulia.conversations.domain import USER_SPEAKER, Passage, Policy, ReplyKind
from tertulia.memory.domain import Point, PointKind
from tertulia.models.calls import Call, Effort, Image, Tool
from tertulia.models.domain import Ability, Model, Tier
from tertulia.models.tokens import TokenCounter, counter_for
from tertulia.projects.domain import Level, Strategy
from tests.effort import HEALTH_CHECKS, effort

some = settings(max_examples=effort(30), suppress_health_check=HEALTH_CHECKS)

#: Who speaks in past rounds; one who merges has a lane of its own.
SPEAKERS = ("ada", "bob", "ada#2", "merge:ada")
NAMES = ("gpt-5", "claude-opus-4-8", "gemini-2.5-pro", "something-else")
PICTURE = Image("image/png", b"p")
TOOL = Tool("read_project_file", "Read a file of the project.", {"type": "object", "properties": {}})
#: Words, scripts that make many tokens a character, and what tokenizers treat in a special way.
fillers = st.one_of(
    st.integers(0, 300).map(lambda n: "word " * n),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="«»<"), max_size=60),
    st.sampled_from(
        ["<|endoftext|>" * 5, "日本語の文章" * 40, "\n\n\n", "{lane} %s {0}", "👩‍👩‍👧‍👦" * 20, "x" * 9_000]
    ),
)
questions = st.one_of(st.just("Well?"), st.just("Well?"), fillers)
models = st.builds(
    Model,
    id=st.just("ada"),
    connection=st.just("c"),
    name=st.sampled_from(NAMES),
    title=st.just("Ada"),
    context_window=st.one_of(
        st.sampled_from([128_000, 20_000, 8_000, 5_000, 3_000, 2_000, 1_200, 2]), st.integers(2, 50_000)
    ),
    output_limit=st.sampled_from([1, 200, 4_000, 100_000]),
    tier=st.sampled_from(Tier),
    abilities=st.sampled_from([frozenset(), frozenset({Ability.VISION}), frozenset(Ability)]),
    local=st.booleans(),
)
wishes = st.builds(
    PromptSettings,
    strategy=st.sampled_from(Strategy),
    level=st.sampled_from([None, None, *Level]),
    max_tokens=st.sampled_from([None, None, None, None, 60_000, 6_000, 2_000, 400]),
)


def mark(id_: str) -> str:
    """Return what stands in a thing's text and nowhere else."""
    return f"«{id_}»"


def marks_in(text: str) -> list[str]:
    """Return what a text tells of, in order."""
    return re.findall(r"«([^»]+)»", text)


@dataclass(frozen=True)
class Case:
    """The inputs of a prompt, the model that it is for, and how it is assembled."""

    inputs: PromptInputs
    model: Model
    ratio: float = 1.0
    tools: tuple[Tool, ...] = ()
    shorter: bool = False

    def prompt(self) -> Prompt | None:
        """Return the prompt; None when the question is too long, or for local models and this is none."""
        try:
            return assemble_prompt(
                self.inputs, self.model, ratio=self.ratio, tools=self.tools, shorter=self.shorter
            )
        except (QuestionTooLong, OnlyForLocalModels):
            return None

    def but(self, **changes: Any) -> "Case":
        """Return the case with other inputs."""
        return replace(self, inputs=replace(self.inputs, **changes))

    def roomy(self) -> "Case":
        """Return the case with more room than it can use."""
        model = replace(self.model, context_window=2_000_000, output_limit=1_000)
        wish = replace(self.inputs.prompt_settings, max_tokens=1_000_000)
        return replace(self, model=model, shorter=False).but(prompt_settings=wish)

    @property
    def counter(self) -> TokenCounter:
        return counter_for(self.model.name, self.ratio)


def told(call: Call) -> str:
    """Return all that a call says."""
    return "\n".join([call.system, *(said.text for said in call.messages)])


def shown_in(prompt: Prompt) -> set[str]:
    """Return the marks of all that reached a prompt."""
    return set(marks_in(told(prompt.call)))


def section_ids(prompt: Prompt, kind: SectionKind) -> list[str]:
    """Return the ids of the items in one section."""
    return [item.id for section in prompt.plan.sections if section.kind is kind for item in section.items]


def speaker_in(id_: str) -> str:
    """Return who said a message, by its id."""
    return USER_SPEAKER if id_.startswith("q") else id_.partition("-")[2]


def number_in(id_: str) -> int:
    """Return the round of a message, by its id."""
    return int(re.findall(r"\d+", id_)[0])


def reply_of(id_: str, text: str, *, local_only: bool) -> PastReply:
    lane = speaker_in(id_)
    kind = ReplyKind.MERGE if lane.startswith("merge") else ReplyKind.ANSWER
    return PastReply(lane, text, kind, id_, local_only)


def passage_of(source: str, place: int, text: str, *, local_only: bool) -> RecalledPassage:
    """Return a passage of a file, of a message here, or of a message of another conversation (`x…`)."""
    is_file = source.startswith("f")
    elsewhere = source.startswith("x")
    lane = "" if is_file or elsewhere else speaker_in(source)
    speaker = (
        "" if is_file else USER_SPEAKER if "-" not in source else f"agent:{speaker_in(source).split(':')[-1]}"
    )
    marked = f"{mark(f'{source}@{place}')} {text}"
    passage = Passage(
        number=0,
        kind="file" if is_file else "message",
        source_id=source,
        project_id="p",
        start_char=place * 100,
        end_char=place * 100 + 150,
        tokens=20,
        path=f"{source}.md" if is_file else "",
        start_line=place + 1 if is_file else 0,
        end_line=place + 3 if is_file else 0,
        title="" if is_file else "Talk",
        conversation_id=None if is_file else "here" if not elsewhere else "there",
        round_number=0 if is_file else number_in(source),
        speaker=speaker.partition("#")[0],
    )
    return RecalledPassage(
        passage,
        marked,
        said_on="2026-01-01",
        hint=f"{mark(f'{source}@{place}')} in short",
        is_readable=is_file,
        lane="" if lane == USER_SPEAKER else lane,
        local_only=local_only,
    )


def subset(draw: st.DrawFn, things: Iterable[str], most: int) -> list[str]:
    options = sorted(set(things))
    return draw(st.lists(st.sampled_from(options), unique=True, max_size=most)) if options else []


@st.composite
def conversation_facts(draw: st.DrawFn, known: list[str]) -> ConversationFacts:
    """Draw where and when a question is asked."""
    made_of = subset(draw, known, 2)
    return ConversationFacts(
        project=draw(st.sampled_from([None, ProjectFacts("Garden", "prj_1", "active")])),
        title=draw(
            st.sampled_from(
                [
                    TitleFacts(),
                    TitleFacts("Of beds"),
                    TitleFacts(mark("t0"), tuple(made_of), tuple(map(speaker_in, made_of))),
                ]
            )
        ),
        today=draw(st.sampled_from([None, date(2026, 11, 17)])),
        time_zone="Europe/Madrid",
        people=draw(st.sampled_from([(), ("Ann", "Ben")])),
    )


@st.composite
def prompt_inputs(
    draw: st.DrawFn,
    *,
    kinds: tuple[ReplyKind, ...] = tuple(ReplyKind),
    policies: tuple[Policy, ...] = tuple(Policy),
) -> PromptInputs:
    """Draw everything that a lane could be shown."""
    earlier = draw(st.integers(0, 9))
    shapes = draw(st.lists(st.tuples(fillers, st.sets(st.sampled_from(SPEAKERS))), max_size=9))
    now_number = earlier + len(shapes) + 1
    texts = {f"q{n}": f"{mark(f'q{n}')} older" for n in range(1, earlier + 1)}
    texts |= {f"r{n}-bob": f"{mark(f'r{n}-bob')} older too" for n in range(1, earlier + 1)}
    heard: dict[int, list[str]] = {}
    for number, (filler, speakers) in enumerate([*shapes, (draw(questions), {"bob"})], 1):
        ids = [f"q{earlier + number}", *(f"r{earlier + number}-{who}" for who in sorted(speakers))]
        heard[earlier + number] = ids
        texts |= {id_: f"{mark(id_)} {filler} {place}" for place, id_ in enumerate(ids)}
    known = [id_ for id_ in texts if number_in(id_) < now_number]
    files = ["f1", "f2", "f3"]
    elsewhere = ["x1", "x2-ada", "x3-bob"]
    written: dict[tuple[str, int], str] = {}
    local = set(subset(draw, [*known, *files, *elsewhere, f"r{now_number}-bob", "b0"], 5))
    begun = draw(st.sampled_from(["", "", f"{mark('b0')} and cut"]))

    def past_round(number: int) -> PastRound:
        question, *replies = heard[number]
        return PastRound(
            texts[question],
            tuple(reply_of(id_, texts[id_], local_only=id_ in local) for id_ in replies),
            (PICTURE,) if draw(st.integers(0, 9)) == 0 else (),
            id=f"rd{number}",
            number=number,
            question_id=question,
            local_only=question in local,
        )

    def passages(sources: list[str], most: int, *, whole: bool = False) -> tuple[RecalledPassage, ...]:
        place = st.just(0) if whole else st.integers(0, 3)
        places = draw(st.lists(st.tuples(st.sampled_from(sources), place), unique=True, max_size=most))
        return tuple(
            passage_of(
                source, place, written.setdefault((source, place), draw(fillers)), local_only=source in local
            )
            for source, place in places
        )

    def point(number: int) -> Point:
        sources = subset(draw, known, 3) or known[:1] or ["q0"]
        return Point(
            draw(st.sampled_from(PointKind)),
            f"{mark(f'k{number}')} {'so it is ' * draw(st.integers(0, 20))}and so on",
            sources,
            [number_in(id_) for id_ in sources],
            [speaker_in(id_) for id_ in sources],
        )

    memory = RecallResult(
        always=passages(files[:2], 2, whole=True),
        named=passages(files[1:], 1, whole=True),
        found=passages([*files, *known, *elsewhere], 6),
        budget=draw(st.sampled_from([0, 200, 1_000, 10_000])),
        images=(PICTURE,) * draw(st.sampled_from([0, 0, 0, 1, 5])),
    )
    numbers = range(earlier + 1, now_number)
    pinned = sorted(subset(draw, known, 4), key=lambda id_: (number_in(id_), id_))
    may_leave = [
        *(f"message:{id_}" for id_ in known),
        *(f"round:rd{n}" for n in numbers),
        "summary",
        "system:brief",
        "conversation:round",
    ]
    may_leave += [
        f"passage:{one.passage.source_id}:{one.passage.start_char}-{one.passage.end_char}"
        for one in memory.found
    ]
    leave_out = frozenset(subset(draw, may_leave, 2))
    return PromptInputs(
        lane=draw(st.sampled_from(["ada", "ada#2"])),
        model="ada",
        kind=draw(st.sampled_from(kinds)),
        policy=draw(st.sampled_from(policies)),
        table=draw(st.sampled_from([("ada",), ("ada", "bob"), ("ada", "bob", "ada#2")])),
        past=tuple(past_round(number) for number in numbers),
        now=replace(past_round(now_number), local_only=draw(st.integers(0, 19)) == 19),
        earlier=earlier,
        facts=draw(conversation_facts(known)),
        brief=draw(st.sampled_from(["", "brief " * 30])),
        instructions=draw(st.sampled_from([(), ("Be brief.",), ("Be brief.", "Be kind.")])),
        file_list=FileList(
            3,
            tuple(
                ListedFile(f"{id_}.md", 9, f"{mark(f'{id_}@list')}", local_only=id_ in local) for id_ in files
            ),
        ),
        points=tuple(point(number) for number in range(draw(st.integers(0, 6)))),
        summary_id="s1",
        pinned=tuple(
            PinnedMessage(
                id_, speaker_in(id_), texts[id_], f"rd{number_in(id_)}", number_in(id_), id_ in local
            )
            for id_ in pinned
        ),
        excluded=frozenset(subset(draw, known, 2)),
        local_messages=frozenset(local & {*known, "b0"}),
        memory=memory,
        prompt_settings=draw(wishes),
        begun=begun,
        begun_id="b0" if begun else "",
        effort=draw(st.sampled_from([None, Effort.LOW])),
        leave_out=leave_out,
        asked_out=frozenset(
            id_ for id_ in known if leave_out & {f"message:{id_}", f"round:rd{number_in(id_)}"}
        ),
        can_read=draw(st.booleans()),
    )


def cases(**more: Any) -> st.SearchStrategy[Case]:
    """Draw inputs with the models that they are for."""
    return st.builds(
        Case,
        inputs=prompt_inputs(**more),
        model=models,
        ratio=st.sampled_from([1.0, 0.5, 1.2, 3.0]),
        tools=st.sampled_from([(), (), (TOOL,)]),
        shorter=st.sampled_from([False, False, False, True]),
    )


def local_ids(inputs: PromptInputs) -> set[str]:
    """Return all of the inputs that only local models may see, by their marks."""
    found = set(inputs.local_messages)
    for past in (*inputs.past, inputs.now):
        found |= {reply.id for reply in past.replies if reply.local_only}
        found |= past.message_ids if past.local_only else set()
    memory = inputs.memory
    found |= {
        one.passage.source_id for one in (*memory.always, *memory.named, *memory.found) if one.local_only
    }
    found |= {one.path.removesuffix(".md") for one in inputs.file_list.listed if one.local_only}
    return found


def sources_of(id_: str, inputs: PromptInputs) -> set[str]:
    """Return the messages or files that something with this mark comes from."""
    if id_ == "t0":
        return set(inputs.facts.title.sources)
    if id_.startswith("k"):
        return set(inputs.points[int(id_[1:])].sources)
    return {id_.partition("@")[0]}
