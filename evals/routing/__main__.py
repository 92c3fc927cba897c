"""Report how well difficulty is told: `python -m evals.routing`; `--write` learns the weights anew."""

import asyncio
import math
import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
from rich.console import Console

from evals.routing.labelled_questions import LabelledQuestion, read_questions
from evals.routing.training import Matrix, score_unseen_subjects, train
from tertulia.embedding.local import LocalEmbedder
from tertulia.routing.difficulty import WEIGHTS_FILE, DifficultyWeights
from tertulia.routing.question_features import read_features
from tertulia.settings import Settings

WEIGHTS_PATH = Path(__file__).parents[2] / "src" / "tertulia" / "routing" / WEIGHTS_FILE
#: What held best on subjects that were left out.
RIDGE_WITH_VECTOR = 100.0
RIDGE_WITHOUT_VECTOR = 10.0
WORD_PATTERN = re.compile(r"\w+")


def main() -> None:
    """Print how well each way to tell difficulty does on subjects that it has not seen."""
    questions = read_questions()
    needs_large = np.array([float(question.needs_large) for question in questions])
    subjects = np.array([question.subject for question in questions])
    embedder = LocalEmbedder(Settings.from_env({}))
    vectors = asyncio.run(embed(embedder, questions))
    seen = np.array([read_features(question.text) for question in questions])
    both = np.c_[vectors, seen]
    lengths = seen[:, 0] - np.median(seen[:, 0])
    words = weigh_words([question.text for question in questions])
    scores = {
        "length": lengths,
        "TF-IDF": score_unseen_subjects(words, needs_large, subjects, ridge=1.0),
        "vector": score_unseen_subjects(vectors, needs_large, subjects, ridge=RIDGE_WITH_VECTOR),
        "features": score_unseen_subjects(seen, needs_large, subjects, ridge=RIDGE_WITHOUT_VECTOR),
        "both": score_unseen_subjects(both, needs_large, subjects, ridge=RIDGE_WITH_VECTOR),
    }
    console = Console(markup=False)
    console.print(f"{len(questions)} questions of {len(set(subjects))} subjects, each judged without its own")
    for name, score in scores.items():
        right = float(((score > 0) == (needs_large > 0)).mean())
        console.print(
            f"{name:10} right {right:6.1%}   pairs in order {order_of_pairs(score, needs_large):6.1%}"
        )
    if "--write" in sys.argv:
        weights = DifficultyWeights(
            embedder.name,
            train(both, needs_large, ridge=RIDGE_WITH_VECTOR).to_layer(),
            train(seen, needs_large, ridge=RIDGE_WITHOUT_VECTOR).to_layer(),
        )
        WEIGHTS_PATH.write_bytes(msgspec.json.encode(weights) + b"\n")
        console.print(f"Written: {WEIGHTS_PATH.name}")


async def embed(embedder: LocalEmbedder, questions: Sequence[LabelledQuestion]) -> Matrix:
    """Return the vector of each question."""
    try:
        vectors = await embedder.embed([question.text for question in questions])
    finally:
        await embedder.close()
    return vectors.astype(np.float64)


def weigh_words(texts: Sequence[str]) -> Matrix:
    """Return each text's words by how often it has them and how few others do, as rows of length one."""
    counts = [Counter(WORD_PATTERN.findall(text.casefold())) for text in texts]
    spread = Counter(word for count in counts for word in count)
    columns = {
        word: at for at, word in enumerate(word for word, texts_with in spread.items() if texts_with > 1)
    }
    rows = np.zeros((len(texts), len(columns)))
    for at, count in enumerate(counts):
        for word, times in count.items():
            if word in columns:
                rows[at, columns[word]] = times * math.log(len(texts) / spread[word])
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


def order_of_pairs(scores: Matrix, needs_large: Matrix) -> float:
    """Return how often a question that needs a large model scores above one that does not (the AUC)."""
    large, small = scores[needs_large > 0], scores[needs_large == 0]
    return float((large[:, None] > small[None, :]).mean() + (large[:, None] == small[None, :]).mean() / 2)


if __name__ == "__main__":
    main()
