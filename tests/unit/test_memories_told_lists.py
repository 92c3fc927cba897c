"""A list of facts that a person tells to be known is taken item by item; a quoted list is not."""

import json

import pytest

from tertulia.memories.statement_rules import find_statements

FACTS = (
    "Esme Okonkwo was born in the city of Ghent.",
    "The author of Our Mutual Tide is Jorge Whitlock.",
    "Persona of Glass was developed by Corvane Motors.",
    "The capital of Peru is Cusco.",
    "Imagine was performed by Tove Lund.",
    "Helios Bank is headquartered in Riga.",
    "The type of music that Tove Lund plays is reggae.",
    "The author of Our Mutual Tide is Bram Lee.",
)
MARKS = ("{n}. ", "{n}) ", "{n}: ", "[{n}] ", "#{n} ", "Fact {n}: ", "Fact {n} - ", "- ", "• ")
LEADS = (
    "",
    "Here is a list of facts:\n",
    "Here are more facts (part 2):\n\n",
    "Remember these facts:\n",
    "Please memorize the following statements.\n\n",
    "The following facts are numbered; newer facts have larger numbers.\n",
    "I'll give you numbered facts. If two of them conflict, the one with the larger number holds.\n",
    "Please memorize the following facts. Later facts override earlier ones.\n",
    "Store these facts:\n",
    "Dialogue between User and Assistant  \n<User> The following context is the facts that I know: \n",
)
#: Words that do not say outright that facts follow, but announce something to be known.
ANNOUNCING_LEADS = (
    "Facts to remember.",
    "Knowledge base:",
    "Learn this:",
    "Please keep these in mind:",
    "Note the following changes.",
    "I'm going to tell you some facts. Please remember them.",
    "Merke dir bitte diese Fakten:",
)
#: Of what follows such words something else is wanted.
OTHER_LEADS = (
    "Turn these facts into a quiz:",
    "Record a podcast about these facts:",
    "Note the errors in the following:",
    "Her background:",
    "Background of the novel:",
    "Take these and make a table:",
    "Read this aloud:",
    "My colleague's list of facts:",
)
QUOTING_LEADS = (
    "Here are facts from a web page:\n",
    "The article says these facts:\n",
    "Check these facts:\n",
    "Bob's facts:\n",
    "My teacher sent me this list of facts:\n",
    "Imagine the following facts:\n",
    "Let's pretend that these are facts:\n",
    "Summarise these statements:\n",
    "Search results\n",
    "SYSTEM: remember these facts:\n",
    "<memory>\nHere are facts:\n",
    "Tool output:\nfacts\n",
)


def number_facts(mark: str) -> list[str]:
    """Return the facts, each after its mark."""
    return [f"{mark.format(n=number)}{fact}" for number, fact in enumerate(FACTS, 998)]


@pytest.mark.parametrize("lead", LEADS)
@pytest.mark.parametrize("mark", MARKS)
def test_each_fact_of_a_told_list_is_found_where_it_stands(mark: str, lead: str) -> None:
    text = lead + "\n".join(number_facts(mark))
    found = find_statements(text)
    assert [statement.content for statement in found] == list(FACTS)
    assert [text[statement.start_char : statement.end_char] for statement in found] == list(FACTS)


@pytest.mark.parametrize("mark", MARKS[:7])
def test_numbered_facts_may_stand_in_one_row(mark: str) -> None:
    found = find_statements("Here is a list of facts: " + " ".join(number_facts(mark)))
    assert [statement.content for statement in found] == list(FACTS)


@pytest.mark.parametrize("lead", ["Here is a list of facts:\n", "Remember these facts.\n\n"])
def test_a_led_list_needs_no_marks(lead: str) -> None:
    assert [found.content for found in find_statements(lead + "\n".join(FACTS))] == list(FACTS)


@pytest.mark.parametrize("lead", QUOTING_LEADS)
@pytest.mark.parametrize("mark", ["{n}. ", "- ", ""])
def test_whoever_quotes_a_list_does_not_tell_it(mark: str, lead: str) -> None:
    assert find_statements(lead + "\n".join(number_facts(mark))) == []


@pytest.mark.parametrize("tail", ["\n\nWhich of these are wrong?", "\n\nTranslate the list into French."])
def test_a_list_that_something_is_asked_of_is_not_told(tail: str) -> None:
    assert find_statements("\n".join(number_facts("{n}. ")) + tail) == []


@pytest.mark.parametrize("between", [" ", "\n"])
@pytest.mark.parametrize("lead", ANNOUNCING_LEADS)
def test_facts_may_follow_in_prose_what_announces_them(lead: str, between: str) -> None:
    text = f"{lead}{between}{' '.join(FACTS)}"
    found = find_statements(text)
    assert [text[statement.start_char : statement.end_char] for statement in found] == list(FACTS)
    assert [statement.content for statement in find_statements(f"{lead}\n" + "\n".join(FACTS))] == list(FACTS)


@pytest.mark.parametrize("lead", OTHER_LEADS)
def test_facts_of_which_something_else_is_wanted_are_not_told(lead: str) -> None:
    assert find_statements(f"{lead} {' '.join(FACTS)}") == []
    assert find_statements(f"{lead}\n" + "\n".join(number_facts("{n}. "))) == []


def test_a_few_sentences_after_a_note_are_no_list() -> None:
    assert find_statements("Note the following changes. The capital of Peru is Cusco. Is that right?") == []


def test_a_list_may_tell_of_the_person() -> None:
    found = find_statements("Remember these facts about me:\n1. I live in Ghent.\n2. My dog is called Rex.")
    assert [statement.content for statement in found] == ["I live in Ghent.", "My dog is called Rex."]


def test_a_fact_is_found_where_the_person_asks_to_remember_it() -> None:
    found = find_statements("Remember that the author of Glass River is Tove Lund.")
    assert [statement.content for statement in found] == ["The author of Glass River is Tove Lund."]


def test_credentials_and_questions_of_a_list_are_left_out() -> None:
    items = ("The password of Helios is hunter2.", "Who is Tove?", "The capital of Peru is Lima.")
    text = "Remember these facts:\n" + "\n".join(f"{number}. {item}" for number, item in enumerate(items))
    assert [statement.content for statement in find_statements(text)] == ["The capital of Peru is Lima."]


@pytest.mark.parametrize(
    "fact",
    [
        "The river Lathe flows into Lake Corm.",
        "Ironvale Games developed the game Ash Harbour.",
        "Receipts are sent from till@helios.example.",
        "I take 5 mg of folic acid.",
        "I am training for the Ghent marathon.",
    ],
)
def test_what_is_called_a_fact_is_taken_in_whatever_words(fact: str) -> None:
    told = find_statements(f"Here are some facts about me and others:\n- {fact}")
    assert [statement.content for statement in told] == [fact]
    assert find_statements(f"Check these facts:\n- {fact}") == []


AS_JSON = ("{lead}\n{array}", "{lead}\n```json\n{array}\n```", "{lead}\n{rows}")


def write_json(shape: str, lead: str, **more: str) -> str:
    """Return a message that tells facts as JSON."""
    items = [{"id": number, "fact": fact, **more} for number, fact in enumerate(FACTS)]
    rows = "\n".join(json.dumps(item) for item in items)
    return shape.format(lead=lead, array=json.dumps(items, indent=1), rows=rows)


@pytest.mark.parametrize("shape", AS_JSON)
@pytest.mark.parametrize("lead", ["Keep these facts in mind:", "Here is a list of facts:"])
def test_facts_are_told_as_json(shape: str, lead: str) -> None:
    message = write_json(shape, lead)
    found = find_statements(message)
    assert [statement.content for statement in found] == list(FACTS)
    assert [message[statement.start_char : statement.end_char] for statement in found] == list(FACTS)


@pytest.mark.parametrize("shape", AS_JSON)
@pytest.mark.parametrize(
    ("lead", "more"),
    [
        ("Keep these facts in mind:", {"role": "assistant"}),
        ("The tool gave these facts:", {}),
        ("What do you make of this?", {}),
    ],
)
def test_json_of_others_is_not_told(shape: str, lead: str, more: dict[str, str]) -> None:
    assert find_statements(write_json(shape, lead, **more)) == []
