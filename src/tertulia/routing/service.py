"""Choosing who answers a question, of the models that a person may ask."""

import logging
from collections.abc import Sequence
from functools import partial

from tertulia.core.principal import Principal
from tertulia.core.threads import run_in_thread_if_long
from tertulia.embedding.domain import EmbedderUnavailable
from tertulia.models.builtin.child import BUILTIN_SLUG
from tertulia.models.domain import Model
from tertulia.models.service import Models
from tertulia.models.tokens import count
from tertulia.retrieval.embedding_service import EmbeddingService
from tertulia.routing.difficulty import estimate_difficulty
from tertulia.routing.domain import ModelChoice, RouteQuestion
from tertulia.routing.model_choice import choose_model

log = logging.getLogger("tertulia.routing")

#: What is seen of a question is enough where its meaning takes longer than this.
ROUTE_EMBEDDING_TIMEOUT_SECONDS = 0.2
#: Of a longer question the beginning tells how difficult it is.
ROUTED_MESSAGE_MAX_CHARS = 2_000


class ModelRouter:
    """Chooses a model for a question."""

    def __init__(self, models: Models, embeddings: EmbeddingService) -> None:
        self._models = models
        self._embeddings = embeddings

    async def route(self, question: RouteQuestion, *, names: Sequence[str], by: Principal) -> ModelChoice:
        """Return who should answer, of the models that are named or else of all that there are."""
        candidates = await self._find_candidates(names, by)
        difficulty = await self._estimate(question.message, by)
        tokens = await run_in_thread_if_long(
            partial(count, question.message, candidates[0].name), chars=len(question.message)
        )
        return choose_model(
            question, candidates, difficulty=difficulty, prompt_tokens=question.context_tokens + tokens
        )

    async def _find_candidates(self, names: Sequence[str], by: Principal) -> list[Model]:
        """Return the models to choose from; what is built in only where there is nothing else."""
        if names:
            return [(await self._models.resolve(name, by=by)).model for name in dict.fromkeys(names)]
        models = (await self._models.catalogue(by)).models
        connected = [model for model in models if model.connection != BUILTIN_SLUG]
        return connected or list(models)

    async def _estimate(self, message: str, by: Principal) -> float:
        """Return how difficult a question is, by its meaning too where that is known soon."""
        text = message[:ROUTED_MESSAGE_MAX_CHARS]
        try:
            embedder = await self._embeddings.find_serving(timeout_seconds=0)
            if embedder is None or not embedder.is_local:
                return estimate_difficulty(message)
            vector = await self._embeddings.embed_query(
                text, asked_by=by.user_id, timeout_seconds=ROUTE_EMBEDDING_TIMEOUT_SECONDS
            )
        except EmbedderUnavailable as error:
            log.debug("A question is routed without its meaning: %s", error)
            return estimate_difficulty(message)
        return estimate_difficulty(message, vector.tolist(), embedder=embedder.name)
