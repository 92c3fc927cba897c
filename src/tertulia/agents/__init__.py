"""Who speaks, and how."""
