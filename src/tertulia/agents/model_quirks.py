"""What a model turned out not to take, so that it is asked without from then on."""

from dataclasses import dataclass, field, replace

from tertulia.agents.text_tool_calls import to_text_call
from tertulia.core.principal import Principal
from tertulia.models.calls import Call
from tertulia.models.domain import Ability, Model
from tertulia.models.errors import OptionRefused, ProviderError, ToolsUnknown


@dataclass(slots=True)
class ModelQuirks:
    """What is known of one model beyond its listing; it grows with each refusal."""

    #: Without, the model calls tools in blocks of its text.
    has_native_tools: bool = True
    refused_options: set[str] = field(default_factory=set[str])

    def adapt(self, call: Call) -> Call:
        """Return a call that the model takes, as far as is known."""
        if self.refused_options:
            call = replace(call, **dict.fromkeys(self.refused_options))
        return to_text_call(call) if call.tools and not self.has_native_tools else call

    def learn(self, error: ProviderError, sent: Call) -> bool:
        """Learn from how a call failed; True when the model can be asked again without what it refused."""
        match error:
            case OptionRefused() if getattr(sent, error.option) is not None:
                self.refused_options.add(error.option)
                return True
            case ToolsUnknown() if sent.tools:
                self.has_native_tools = False
                return True
            case _:
                return False


class QuirkRegistry:
    """Keeps what was learnt of models, by who asks: others may have another server of that name."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str, str, frozenset[Ability]], ModelQuirks] = {}

    def of(self, model: Model, *, by: Principal) -> ModelQuirks:
        """Return what is known of a model; one that is listed with other abilities is learnt anew."""
        key = (by.workspace_id, by.user_id, model.id, model.abilities)
        listed = ModelQuirks(has_native_tools=Ability.TOOLS in model.abilities)
        return self._known.setdefault(key, listed)
