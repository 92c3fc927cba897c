"""What is wrong with a request, in a sentence: the validator's findings in words of our own."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tertulia.core.json_object import JsonObject
from tertulia.core.plurals import count_noun

ErrorContext = Mapping[str, Any]
#: A member of an enumeration as Python shows it, `<Colour.RED: 'red'>`.
ENUM_MEMBER = re.compile(r"<[\w.]+: ('[^']*')>")


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


def too_many_characters(limits: ErrorContext) -> str:
    """Say that a text is too long."""
    return f"may have at most {count_noun(limits['max_length'], 'character')}"


def not_a_choice(limits: ErrorContext) -> str:
    """Say which values there are, each as it is written."""
    return "must be " + ENUM_MEMBER.sub(r"\1", limits["expected"])


A_MOMENT = "must be a date and time with its time zone, such as 2026-01-31T12:00:00Z"
#: What each finding of the validator means; the others speak for themselves.
VALIDATION_MESSAGES: Mapping[str, Callable[[ErrorContext], str]] = {
    "missing": lambda _: "is missing",
    "missing_argument": lambda _: "is missing",
    "extra_forbidden": lambda _: "is not known here; check its spelling",
    "unexpected_keyword_argument": lambda _: "is not known here; check its spelling",
    "too_short": too_few_items,
    "too_long": too_many_items,
    "string_too_short": too_few_characters,
    "string_too_long": too_many_characters,
    "greater_than_equal": lambda limits: f"must be at least {limits['ge']:,}",
    "greater_than": lambda limits: f"must be more than {limits['gt']:,}",
    "less_than_equal": lambda limits: f"must be at most {limits['le']:,}",
    "less_than": lambda limits: f"must be less than {limits['lt']:,}",
    "enum": not_a_choice,
    "literal_error": not_a_choice,
    "value_error": lambda limits: str(limits["error"]),
    "string_type": lambda _: "must be text",
    "list_type": lambda _: "must be a list",
    "dict_type": lambda _: "must be an object",
    "model_type": lambda _: "must be an object",
    "model_attributes_type": lambda _: "must be an object",
    "dataclass_type": lambda _: "must be an object",
    "dataclass_exact_type": lambda _: "must be an object",
    "bool_type": lambda _: "must be true or false",
    "bool_parsing": lambda _: "must be true or false",
    "int_type": lambda _: "must be a whole number",
    "int_parsing": lambda _: "must be a whole number",
    "int_parsing_size": lambda _: "is too large a number",
    "int_from_float": lambda _: "must be a whole number",
    "float_type": lambda _: "must be a number",
    "float_parsing": lambda _: "must be a number",
    "datetime_parsing": lambda _: A_MOMENT,
    "datetime_from_date_parsing": lambda _: A_MOMENT,
    "datetime_type": lambda _: A_MOMENT,
    "timezone_aware": lambda _: A_MOMENT,
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
    problem = describe_problem(worst)
    if worst["type"] == "string_too_long":
        return where, f"The {where} is too long: it {problem}."
    return where, f"{where}: {problem}."


def describe_problem(finding: Mapping[str, Any]) -> str:
    """Say what is wrong with a value, without the place where it stands."""
    meaning = VALIDATION_MESSAGES.get(finding["type"])
    return meaning(finding.get("ctx", {})) if meaning else finding["msg"]
