"""Messages that say what is asked for themselves stand before those that only follow or ask a question."""

from datetime import UTC, datetime, timedelta

from tertulia.retrieval.candidates import Candidate
from tertulia.retrieval.query_parser import parse_query
from tertulia.retrieval.signals import CandidatePool, Signals, compute_signals
from tertulia.retrieval.sources import SourceKind

NOW = datetime(2026, 5, 20, tzinfo=UTC)
QUESTION = "Marta did the first restore today, and it took her 26 minutes."


def message(
    chunk: int, content: str, *, asked: str = "", speaker: str = "user", said_at: datetime = NOW
) -> Candidate:
    return Candidate(
        chunk=chunk,
        number=0,
        chunk_kind="prose",
        language="markdown",
        start_line=1,
        end_line=1,
        start_char=0,
        end_char=len(content),
        tokens=10,
        context=f"The drill · {asked} (May 2026)",
        summary="",
        content=content,
        source=chunk,
        kind=SourceKind.MESSAGE,
        source_id=f"msg_{chunk}",
        project_id=None,
        conversation_id="cnv_1",
        title="The drill",
        path="",
        tags=[],
        speaker=speaker,
        round_id="rnd_1",
        round_number=chunk,
        said_at=said_at,
    )


def signals_of(query: str, *candidates: Candidate) -> list[Signals]:
    pool = CandidatePool(candidates, {candidate.chunk: 5.0 for candidate in candidates}, {})
    asked = parse_query(query, today=NOW)
    found = compute_signals(pool, asked, now=NOW, conversation_id=None)
    return [found[candidate.chunk] for candidate in candidates]


def test_words_of_the_question_before_are_borrowed_as_far_as_they_are_not_said_again() -> None:
    own, partly, wholly = signals_of(
        "How many minutes did the restore take for Marta?",
        message(1, QUESTION),
        message(2, "Make restore a command that does it right.", asked=QUESTION),
        message(3, "Print a warning at the start.", asked=QUESTION),
    )
    assert own.borrowed == 0
    assert own.borrowed < partly.borrowed < wholly.borrowed == 1


def test_the_title_of_its_conversation_is_a_messages_own_beside_its_words() -> None:
    beside, alone = signals_of(
        "What is the goal of the drill?", message(1, "The goal: under ten minutes."), message(2, "By Leire.")
    )
    assert beside.borrowed == 0
    assert alone.borrowed == 1


def test_what_somebody_answered_is_asked_for_in_the_words_of_the_question_before() -> None:
    asked_for, other = signals_of(
        "How did gemini want to restore?",
        message(1, "Stop the service, copy the file.", asked=QUESTION, speaker="agent:gemini-2.5-pro"),
        message(2, "Print a warning at the start.", asked=QUESTION, speaker="agent:gpt-5"),
    )
    assert asked_for.borrowed == 0
    assert other.borrowed == 1


def test_what_is_asked_of_a_day_was_said_on_it_or_soon_after() -> None:
    day = datetime(2026, 3, 12, 8, tzinfo=UTC)
    found = signals_of(
        "How far had the share of JSON fallen on 12 March?",
        *(
            message(number, "JSON is at 4 %.", said_at=day + timedelta(days=days))
            for number, days in enumerate((-1, 0, 3, 9), 1)
        ),
    )
    assert [signals.time for signals in found] == [0, 1, 0.5, 0]


def test_a_letter_that_only_its_own_words_have_is_not_borrowed() -> None:
    [letter] = signals_of(
        "Where did Quentin E. Hill work?", message(1, "Ask E. first.", asked="even trees " * 400)
    )
    assert letter.borrowed == 0


def test_a_message_that_tells_to_the_matter_before_it_asks_only_asks_in_part() -> None:
    found = signals_of(
        "Which Node did we commit to?",
        message(1, "The promise stands: Node 20.19. Static pages or a server?"),
        message(2, "The tests are green. Which Node do we commit to?"),
        message(3, "Which Node do we commit to? Debian has Node 20."),
        message(4, "The promise stands: Node 20.19."),
    )
    assert [signals.question for signals in found] == [0.5, 1, 1, 0]
