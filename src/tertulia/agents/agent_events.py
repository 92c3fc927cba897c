"""What is told of a model at work while it works."""

from collections.abc import Callable

from tertulia.agents.loop_limits import LoopLimitReached
from tertulia.agents.retry import RetryScheduled
from tertulia.models.calls import TextDelta, ThinkingDelta, Usage

#: `Usage` is that of all steps so far. What tools do is not told here: whoever runs them knows.
AgentEvent = TextDelta | ThinkingDelta | Usage | RetryScheduled | LoopLimitReached
Emit = Callable[[AgentEvent], None]
