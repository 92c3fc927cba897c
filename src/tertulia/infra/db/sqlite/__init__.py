"""SQLite: one file, several readers, one writer."""
