"""How difficult a question is: a linear layer over what is seen of it and, where there is one, its vector."""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from math import exp

import msgspec

from tertulia.routing.question_features import read_features

WEIGHTS_FILE = "difficulty_weights.json"


class LinearLayer(msgspec.Struct, frozen=True):
    """A weight for each value."""

    weights: list[float]
    bias: float

    def score(self, values: Sequence[float]) -> float:
        """Return the probability that a small model is not enough."""
        weighted = (value * weight for value, weight in zip(values, self.weights, strict=True))
        return sigmoid(self.bias + sum(weighted))


class DifficultyWeights(msgspec.Struct, frozen=True):
    """What was learnt from labelled questions, with the vector of a question and without."""

    #: Vectors of other embedders say something else.
    embedder: str
    with_vector: LinearLayer
    without_vector: LinearLayer


def estimate_difficulty(message: str, vector: Sequence[float] = (), *, embedder: str = "") -> float:
    """Return how difficult a question is, from 0 to 1; only vectors of the embedder it learnt from count."""
    weights, seen = load_weights(), read_features(message)
    if len(vector) and embedder == weights.embedder:
        return weights.with_vector.score([*vector, *seen])
    return weights.without_vector.score(seen)


def sigmoid(value: float) -> float:
    """Return a value between 0 and 1."""
    return 1 / (1 + exp(-max(-50.0, min(50.0, value))))


@cache
def load_weights() -> DifficultyWeights:
    """Return the weights that come with the program."""
    written = files("tertulia.routing").joinpath(WEIGHTS_FILE).read_bytes()
    return msgspec.json.decode(written, type=DifficultyWeights)
