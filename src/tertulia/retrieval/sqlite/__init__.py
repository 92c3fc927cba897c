"""The indexes of search on SQLite: words in FTS5, meanings as bits in memory."""
