"""Expanding a query by the utility model: questions on the way to its answer, and what that might say."""

import re
from importlib.resources import files

from tertulia.core.principal import Principal
from tertulia.retrieval.query_expansion import (
    SUB_QUERIES_MAX,
    ExpansionRequest,
    ExpansionUnavailable,
    QueryExpansion,
)
from tertulia.turns.services import TurnServices
from tertulia.upkeep.utility_model import ChorePlace, UtilityModel, find_utility_model, remote_models_among

#: Four lines are short, but a model may think before it writes them.
EXPANSION_ANSWER_MAX_TOKENS = 600
#: So much of a long question is shown to the model.
EXPANDED_QUESTION_MAX_CHARS = 2_000
SUB_QUERY_MAX_CHARS = 300
HYPOTHETICAL_ANSWER_MAX_CHARS = 600
LINE_PATTERN = re.compile(r"^[\s>*_-]*(?P<kind>[QA])\d?[*_]*\s*:[*_]*\s*(?P<text>\S.*)$", re.MULTILINE)
THINKING_PATTERN = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL | re.IGNORECASE)


async def expand_query(request: ExpansionRequest, *, by: Principal, services: TurnServices) -> QueryExpansion:
    """Return what the utility model makes of a query, or raise where there is none, or it may not see it."""
    place = ChorePlace(request.conversation_id or "", request.project_id)
    utility_model = await find_utility_model(place, "search", by=by, services=services)
    if utility_model is None:
        raise ExpansionUnavailable("There is no utility model to expand questions.")
    if not await can_read_query(utility_model, request, by=by, services=services):
        raise ExpansionUnavailable("The question is for local models alone, and the utility model is remote.")
    prompt = (files("tertulia.upkeep.prompts") / "query_expansion.md").read_text("utf-8").strip()
    question = request.text[:EXPANDED_QUESTION_MAX_CHARS]
    answer = await utility_model.write(prompt, question, EXPANSION_ANSWER_MAX_TOKENS)
    expansion = parse_expansion(answer, request)
    if expansion == QueryExpansion():
        raise ExpansionUnavailable("The utility model wrote nothing that expands the question.")
    return expansion


async def can_read_query(
    utility_model: UtilityModel, request: ExpansionRequest, *, by: Principal, services: TurnServices
) -> bool:
    """Tell whether a model may be shown a query: a remote one, only what a remote one is asked anyway."""
    if utility_model.is_local:
        return True
    if request.local_only:
        return False
    asked = request.asked_models
    return asked is None or bool(await remote_models_among(asked, by=by, services=services))


def parse_expansion(answer: str, request: ExpansionRequest) -> QueryExpansion:
    """Return what is wanted of what a model wrote; lines of no known kind are passed over."""
    found = [
        (line["kind"], line["text"].strip())
        for line in LINE_PATTERN.finditer(THINKING_PATTERN.sub("", answer))
    ]
    asked = " ".join(request.text.split()).casefold()
    questions = [
        text[:SUB_QUERY_MAX_CHARS]
        for kind, text in found
        if kind == "Q" and " ".join(text.split()).casefold() != asked
    ]
    answers = [text[:HYPOTHETICAL_ANSWER_MAX_CHARS] for kind, text in found if kind == "A"]
    return QueryExpansion(
        tuple(dict.fromkeys(questions))[:SUB_QUERIES_MAX] if request.wants_sub_queries else (),
        answers[0] if answers and request.wants_answer else "",
    )
