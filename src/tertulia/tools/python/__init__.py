"""Python for models: a project's files to read, and tools that models write for one another."""
