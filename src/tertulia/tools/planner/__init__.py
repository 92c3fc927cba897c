"""Tools for what people plan: projects, tasks and their own calendars."""
