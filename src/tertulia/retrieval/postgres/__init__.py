"""The indexes of search on PostgreSQL: words in a `tsvector`, meanings in pgvector."""
