"""How difficult a question looks: on labelled questions, with and without its vector, and quickly."""

import json
from statistics import median
from time import process_time

import numpy as np
from evals.routing.labelled_questions import read_questions
from evals.routing.training import score_unseen_subjects
from hypothesis import given
from hypothesis import strategies as st

from tertulia.routing.difficulty import estimate_difficulty, load_weights
from tertulia.routing.question_features import read_features

QUESTIONS = read_questions()
#: What the words of a question alone are to tell right of subjects that were not learnt from.
UNSEEN_SUBJECT_FLOOR = 0.9


def test_there_are_enough_labelled_questions_and_none_twice() -> None:
    assert len(QUESTIONS) >= 400
    assert len({question.text for question in QUESTIONS}) == len(QUESTIONS)
    share = sum(question.needs_large for question in QUESTIONS) / len(QUESTIONS)
    assert 0.4 < share < 0.6


def test_questions_of_subjects_that_it_has_not_seen_are_told_better_than_by_their_length() -> None:
    needs_large = np.array([float(question.needs_large) for question in QUESTIONS])
    subjects = np.array([question.subject for question in QUESTIONS])
    seen = np.array([read_features(question.text) for question in QUESTIONS])
    scores = score_unseen_subjects(seen, needs_large, subjects, ridge=10.0)
    right = float(((scores > 0) == (needs_large > 0)).mean())
    by_length = float(((seen[:, 0] > np.median(seen[:, 0])) == (needs_large > 0)).mean())
    assert right >= UNSEEN_SUBJECT_FLOOR
    assert right > by_length


def test_what_comes_with_the_program_was_learnt_from_these_features() -> None:
    weights = load_weights()
    count = len(read_features("Hello"))
    assert len(weights.without_vector.weights) == count
    assert len(weights.with_vector.weights) == count + 384
    assert estimate_difficulty("Hello!") < 0.3
    assert estimate_difficulty("Prove that every finite integral domain is a field, step by step.") > 0.6


def test_a_vector_of_another_embedder_is_not_looked_at() -> None:
    other = estimate_difficulty("Hello!", [1.0] * 8, embedder="somebody/else")
    assert other == estimate_difficulty("Hello!")


def test_a_question_of_any_length_is_read_within_a_few_milliseconds() -> None:
    load_weights()
    text, vector = "Compare the plans, and prove it. " * 30_000, [0.05] * 384
    took: list[float] = []
    for _ in range(9):
        began = process_time()
        estimate_difficulty(text, vector, embedder=load_weights().embedder)
        took.append(process_time() - began)
    assert median(took) < 0.005


@given(message=st.text(max_size=500))
def test_every_text_has_a_difficulty_between_0_and_1(message: str) -> None:
    assert 0 <= estimate_difficulty(message) <= 1
    json.dumps(read_features(message), allow_nan=False)
