"""Days and times in words."""
