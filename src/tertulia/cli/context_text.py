"""What models are shown, in words and in lines."""

from collections.abc import Iterator

from tertulia.core.json_object import JsonObject

#: The kinds of points, as headings, in the order in which they are read.
POINT_KIND_HEADINGS = {
    "decision": "Decisions",
    "preference": "Preferences",
    "commitment": "Promises and deadlines",
    "question": "Open questions",
    "created": "Created",
    "entity": "People and things",
    "topic": "Topics",
    "kept": "Kept word for word",
}
PRICE_UNKNOWN_TEXT = "price unknown"


def receipt_line(receipt: JsonObject) -> str:
    """Return a receipt as one line."""
    plan = receipt["plan"]
    sections = ", ".join(f"{section['kind']} {section['tokens']:,}" for section in plan["sections"])
    left = f"; {len(plan['left_out'])} left out" if plan["left_out"] else ""
    paid = billing_text(receipt)
    return f"{token_count_text(plan)}: {sections}{left}.{f' {paid}' if paid else ''}"


def token_count_text(plan: JsonObject) -> str:
    """Return how many tokens a prompt has, of how many."""
    return f"{plan['tokens']:,} of {plan['limit']:,} tokens"


def share_of(section: JsonObject, plan: JsonObject) -> float:
    """Return which part of a prompt a section is, from 0 to 1."""
    return max(0.0, min(1.0, section["tokens"] / plan["tokens"])) if plan["tokens"] else 0.0


def billing_text(receipt: JsonObject) -> str:
    """Say what a provider counted, what of it was cached, and what it cost."""
    usage, share, cost = receipt["usage"], receipt["cached_share"], receipt["cost"]
    if usage is None:
        return ""
    who = "By our own count" if usage["estimated"] else "The provider counted"
    counted = f"{who} {usage['input']:,} tokens in, {usage['output']:,} out"
    cached = f"{share:.0%} of the prompt cached" if share is not None else ""
    about = "about " if usage["estimated"] else ""
    price = f"{about}${cost:.4f}" if cost is not None else PRICE_UNKNOWN_TEXT
    return ", ".join(part for part in (counted, cached, price) if part) + "."


def expected_cost_text(lane: JsonObject) -> str:
    """Say what asking a model would cost, as far as that is known."""
    if lane["cost_input"] is None:
        return PRICE_UNKNOWN_TEXT
    return f"${lane['cost_input']:.4f} to read it, ${lane['cost_most']:.4f} with the longest reply"


def context_rows(seen: JsonObject) -> Iterator[tuple[str, ...]]:
    """Yield what is shown and what is left out, a row each: lane, section, tokens, what, why not."""
    if "plan" in seen:
        yield from plan_rows(seen["plan"])
        return
    for lane in seen["lanes"]:
        if lane["plan"]:
            yield from plan_rows(lane["plan"])
        else:
            yield lane["lane"], "", "", "", lane["problem"]["message"]


def plan_rows(plan: JsonObject) -> Iterator[tuple[str, ...]]:
    """Yield one prompt's rows, and those of the steps after it."""
    for name, _, shown in plan_sections(plan):
        for item in shown:
            yield plan["lane"], name, str(item["tokens"]), item["title"], ""
    for left in plan["left_out"]:
        yield plan["lane"], left["section"], str(left["item"]["tokens"]), left["item"]["title"], left["why"]


def prompt_texts(plan: JsonObject) -> Iterator[str]:
    """Yield all that a model read, under the names of its sections and items."""
    for name, tokens, shown in plan_sections(plan):
        yield f"# {name} ({tokens:,} tokens)\n"
        for item in shown:
            yield f"## {item['title']} ({item['tokens']:,} tokens)\n\n{item['text']}\n"


def plan_sections(plan: JsonObject) -> Iterator[tuple[str, int, list[JsonObject]]]:
    """Yield the sections of a prompt, and what each step after it added: a name, tokens and items."""
    for section in plan["sections"]:
        yield section["kind"], section["tokens"], section["items"]
    for step in plan["steps"]:
        yield f"step {step['number']}", sum(item["tokens"] for item in step["items"]), step["items"]


def summary_coverage_text(summary: JsonObject) -> str:
    """Say how far a summary reaches, who made it, and which rounds it stands for."""
    made = "without a model" if summary["made_by"] == "extractive" else f"by {summary['made_by']}"
    known = f"Rounds up to {summary['round_number']} are summarised, {made}."
    mark = summary["watermark"]
    return f"{known} Rounds up to {mark} are shown by these points alone." if mark else known


def point_lines(summary: JsonObject) -> Iterator[str]:
    """Yield the points of a summary under their kinds, each with the rounds that it comes from."""
    for kind, heading in POINT_KIND_HEADINGS.items():
        points = [point for point in summary["points"] if point["kind"] == kind]
        if points:
            yield f"{heading}:"
            yield from map(point_line, points)


def point_line(point: JsonObject) -> str:
    """Return a point with its rounds."""
    rounds = ", ".join(str(number) for number in sorted(set(point["rounds"])))
    return f"- {point['text']} ({'round' if ',' not in rounds else 'rounds'} {rounds})"
