"""Projects: what a group of conversations has in common."""
