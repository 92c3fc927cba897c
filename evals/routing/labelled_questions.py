"""The labelled questions, each under its subject."""

from dataclasses import dataclass
from pathlib import Path

QUESTIONS_FILE = Path(__file__).parent / "questions.txt"


@dataclass(frozen=True, slots=True)
class LabelledQuestion:
    """A question, and whether a small model is not enough for it."""

    subject: str
    text: str
    needs_large: bool


def read_questions() -> list[LabelledQuestion]:
    """Return all labelled questions in the order of their file."""
    found: list[LabelledQuestion] = []
    subject = ""
    for line in QUESTIONS_FILE.read_text().splitlines():
        label, _, text = line.partition(" ")
        if label == "##":
            subject = text
        elif label in ("small", "large"):
            found.append(LabelledQuestion(subject, text, label == "large"))
    return found
