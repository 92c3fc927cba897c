"""How well days and times in words are read."""
