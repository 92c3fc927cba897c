"""Prompts as they are drawn on a terminal: a bar for each section, and below it what was left out."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from tertulia.cli.context_text import billing_text, expected_cost_text, share_of, token_count_text
from tertulia.cli.output import strip_control_characters
from tertulia.core.json_object import JsonObject

BAR_WIDTH_CHARS = 24
#: So much of what was left out is listed; --items lists all of it.
LEFT_OUT_SHOWN_MAX = 8


def conversation_view(seen: JsonObject, *, items: bool) -> RenderableType:
    """Draw how full a conversation is, and what each model would be shown next."""
    lanes = [lane_view(lane, items=items) for lane in seen["lanes"]]
    return Group(*meter_view(seen["meter"]), Text(), *lanes)


def receipt_view(receipt: JsonObject, *, items: bool) -> RenderableType:
    """Draw what a model was shown for a reply, and what its provider said of it."""
    plan = receipt["plan"]
    said = billing_text(receipt) or f"The reply is {receipt['status']}: nothing was counted."
    return Group(
        lane_heading(plan["lane"], token_count_text(plan)),
        *remarks(plan),
        *plan_view(plan, items=items),
        Text(said),
    )


def meter_view(meter: JsonObject) -> Iterator[RenderableType]:
    """Draw how full a conversation is, and what compression would do."""
    used, limit = meter["used"], meter["limit"]
    line = Table.grid(padding=(0, 2))
    line.add_row(bar(used / limit, full=used >= meter["threshold"]), Text(f"{used:,} of {limit:,} tokens"))
    yield line
    free = f" Now that would free about {meter['freed']:,}." if meter["freed"] else ""
    whole = f"With all rounds it would be {meter['whole']:,}"
    yield Text(f"{whole}; at {meter['threshold']:,} older ones are compressed.{free}", style="dim")
    if mark := meter["watermark"]:
        yield Text(f"Rounds up to {mark} are shown by their summary alone.", style="dim")


def lane_view(lane: JsonObject, *, items: bool) -> RenderableType:
    """Draw what one model would be shown, or why it could not be asked."""
    plan = lane["plan"]
    if plan is None:
        problem = Text(strip_control_characters(lane["problem"]["message"]), style="red")
        return Group(lane_heading(lane["lane"], ""), problem, Text())
    about = ", ".join(part for part in (token_count_text(plan), expected_cost_text(lane)) if part)
    return Group(lane_heading(lane["lane"], about), *remarks(plan), *plan_view(plan, items=items), Text())


def lane_heading(lane: str, about: str) -> Text:
    """Return a lane's name, and something about it."""
    return Text.assemble(
        (strip_control_characters(lane), "bold cyan"), (f"  {about}" if about else "", "dim")
    )


def remarks(plan: JsonObject) -> Iterator[Text]:
    """Yield what is special about a prompt."""
    if plan["shortened"]:
        yield Text("The provider found a longer prompt too long, and was asked once more with this.")
    if plan["local_only"]:
        yield Text("It holds what only local models may see, and so does the reply.")


def plan_view(plan: JsonObject, *, items: bool) -> Iterator[RenderableType]:
    """Yield the sections of a prompt, and what was left out of it."""
    yield Padding(sections_view(plan, items=items), (0, 0, 0, 2))
    if plan["steps"]:
        yield Text("  Then, as it used tools", style="bold")
        yield Padding(steps_view(plan, items=items), (0, 0, 0, 2))
    left = plan["left_out"]
    if not left:
        return
    yield Text("  Left out", style="bold")
    shown = left if items else left[:LEFT_OUT_SHOWN_MAX]
    yield Padding(left_out_view(shown), (0, 0, 0, 2))
    if len(left) > len(shown):
        yield Text(f"  and {len(left) - len(shown)} more: --items lists them", style="dim")


def sections_view(plan: JsonObject, *, items: bool) -> Table:
    """Draw a bar for each section, with its tokens and its share."""
    grid = Table.grid(padding=(0, 2))
    for justify in ("left", "left", "right", "right"):
        grid.add_column(justify=justify)
    for section in plan["sections"]:
        share = share_of(section, plan)
        tokens = Text(f"{section['tokens']:,}", style="bold")
        grid.add_row(Text(section["kind"]), bar(share), tokens, Text(f"{share:.0%}", style="dim"))
        for item in section["items"] if items else ():
            grid.add_row(Text(), title(item), Text(f"{item['tokens']:,}", style="dim"), Text())
    return grid


def steps_view(plan: JsonObject, *, items: bool) -> Table:
    """Draw what was sent with each step, and what of it was new."""
    grid = Table.grid(padding=(0, 2))
    for step in plan["steps"]:
        new = sum(item["tokens"] for item in step["items"])
        grid.add_row(Text(f"step {step['number']}"), Text(f"{step['tokens']:,} tokens, {new:,} of them new"))
        for item in step["items"] if items else ():
            grid.add_row(Text(), Text.assemble(title(item), (f"  {item['tokens']:,}", "dim")))
    return grid


def left_out_view(left: list[JsonObject]) -> Table:
    """Draw what was left out, and why."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column()
    grid.add_column(ratio=1, max_width=60)
    grid.add_column(ratio=1)
    for item in left:
        grid.add_row(
            Text(item["section"]),
            title(item["item"]),
            Text(strip_control_characters(item["why"]), style="dim"),
        )
    return grid


def title(item: JsonObject) -> Text:
    """Return an item's title on one line, marked where only local models may see it."""
    mark = "(local) " if item["local_only"] else ""
    return Text(f"{mark}{strip_control_characters(item['title'])}", no_wrap=True, overflow="ellipsis")


def bar(share: float, *, full: bool = False) -> ProgressBar:
    """Draw a share as a bar, in another colour where it is a warning."""
    colour = "yellow" if full else "cyan"
    return ProgressBar(
        total=1, completed=share, width=BAR_WIDTH_CHARS, complete_style=colour, finished_style=colour
    )
