"""Who hears which event: the event log as server-sent events."""
