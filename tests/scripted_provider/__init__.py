"""A provider that does what it is told: see README.md."""

from tests.scripted_provider.running import ScriptedProvider
from tests.scripted_provider.script import Fault, Recorded, Script, ScriptedCall, ScriptedUsage

__all__ = ["Fault", "Recorded", "Script", "ScriptedCall", "ScriptedProvider", "ScriptedUsage"]
