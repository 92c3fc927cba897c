"""Learning to tell difficult questions: logistic regression with a ridge, by Newton's method."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tertulia.routing.difficulty import LinearLayer

Matrix = NDArray[np.float64]
NEWTON_STEPS_MAX = 60
SETTLED_STEP = 1e-6
#: What differs less is the same everywhere, and says nothing.
SPREAD_MIN = 1e-6


@dataclass(frozen=True, slots=True)
class TrainedLayer:
    """Weights for columns that were made comparable."""

    means: Matrix
    spreads: Matrix
    weights: Matrix

    def score(self, values: Matrix) -> Matrix:
        """Return how difficult each row is: above 0 where a small model is not enough."""
        return (values - self.means) / self.spreads @ self.weights[:-1] + self.weights[-1]

    def to_layer(self, *, digits: int = 5) -> LinearLayer:
        """Return it as the program reads it, for values as they are."""
        weights = self.weights[:-1] / self.spreads
        bias = self.weights[-1] - self.means @ weights
        return LinearLayer([round(float(weight), digits) for weight in weights], round(float(bias), digits))


def train(values: Matrix, needs_large: Matrix, *, ridge: float) -> TrainedLayer:
    """Return the layer that tells the rows apart best, its weights held small."""
    means, spreads = values.mean(0), values.std(0)
    spreads = np.where(spreads < SPREAD_MIN, 1.0, spreads)
    inputs = np.c_[(values - means) / spreads, np.ones(len(values))]
    penalty = np.eye(inputs.shape[1]) * ridge
    penalty[-1, -1] = SETTLED_STEP
    weights = np.zeros(inputs.shape[1])
    for _ in range(NEWTON_STEPS_MAX):
        guessed = 1 / (1 + np.exp(-inputs @ weights))
        slope = inputs.T @ (guessed - needs_large) + penalty @ weights
        certainty = np.maximum(guessed * (1 - guessed), 1e-4)
        step = np.linalg.solve((inputs * certainty[:, None]).T @ inputs + penalty, slope)
        weights -= step
        if np.abs(step).max() < SETTLED_STEP:
            break
    return TrainedLayer(means, spreads, weights)


def score_unseen_subjects(
    values: Matrix, needs_large: Matrix, subjects: NDArray[np.str_], *, ridge: float
) -> Matrix:
    """Return the score of each row by a layer that saw no question of its subject."""
    scores = np.zeros(len(values))
    for subject in np.unique(subjects):
        left_out = subjects == subject
        layer = train(values[~left_out], needs_large[~left_out], ridge=ridge)
        scores[left_out] = layer.score(values[left_out])
    return scores
