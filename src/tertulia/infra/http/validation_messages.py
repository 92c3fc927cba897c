"""What is wrong with a request, in a sentence: the validator's findings in words of our own."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tertulia.core.json_object import JsonObject
from tertulia.core.plurals import count_noun

ErrorContext = Mapping[str, Any]


def too_few_items(limits: ErrorContext) -> str:
    """Say that a list is too short, or a text that is checked as if it were one."""
    if limits["field_type"] == "Value":
        return too_few_characters(limits)
    return f"needs at least {count_noun(limits['min_length'], 'item')}"


def too_many_items(limits: ErrorContext) -> str:
    """Say that a list is too long."""
    return f"may have at most {count_noun(limits['max_length'], 'item')}"


def too_few_characters(limits: ErrorContext) -> str:
    """Say that a text is too short."""
    short = limits["min_length"]
    return "must not be empty" if short == 1 else f"needs at least {count_noun(short, 'character')}"


#: What each finding of the validator means; the others speak for themselves.
VALIDATION_MESSAGES: Mapping[str, Callable[[ErrorContext], str]] = {
    "missing": lambda _: "is missing",
    "extra_forbidden": lambda _: "is not known here; check its spelling",
    "too_short": too_few_items,
    "too_long": too_many_items,
    "string_too_short": too_few_characters,
    "greater_than_equal": lambda limits: f"must be at least {limits['ge']:,}",
    "greater_than": lambda limits: f"must be more than {limits['gt']:,}",
    "less_than_equal": lambda limits: f"must be at most {limits['le']:,}",
    "less_than": lambda limits: f"must be less than {limits['lt']:,}",
    "enum": lambda limits: f"must be {limits['expected']}",
    "literal_error": lambda limits: f"must be {limits['expected']}",
    "value_error": lambda limits: str(limits["error"]),
    "string_type": lambda _: "must be text",
    "list_type": lambda _: "must be a list",
    "dict_type": lambda _: "must be an object",
    "model_type": lambda _: "must be an object",
    "model_attributes_type": lambda _: "must be an object",
    "bool_type": lambda _: "must be true or false",
    "bool_parsing": lambda _: "must be true or false",
    "int_type": lambda _: "must be a whole number",
    "int_parsing": lambda _: "must be a whole number",
    "int_parsing_size": lambda _: "is too large a number",
    "int_from_float": lambda _: "must be a whole number",
    "float_type": lambda _: "must be a number",
    "float_parsing": lambda _: "must be a number",
    "finite_number": lambda _: "must be a finite number",
}


def describe_validation_errors(errors: Sequence[JsonObject]) -> tuple[str, str]:
    """Return where a request is wrong, and how, in a sentence: of all that was found, the deepest."""
    worst = max(errors, key=lambda finding: len(finding["loc"]))
    if worst["type"] == "json_invalid":
        return "body", "The body is not valid JSON."
    # A choice between two shapes leaves a word of the validator's own in the place, or the name of a class.
    named = [part for part in map(str, worst["loc"][1:]) if "(" not in part and not part[:1].isupper()]
    where = ".".join(named) or str(worst["loc"][0])
    limits = worst.get("ctx", {})
    if worst["type"] == "string_too_long" and limits:
        most = count_noun(limits["max_length"], "character")
        return where, f"The {where} is too long: it may have at most {most}."
    meaning = VALIDATION_MESSAGES.get(worst["type"])
    problem = meaning(limits) if meaning else worst["msg"]
    return where, f"{where}: {problem}."
