"""Memories: what outlives a conversation, each with its evidence and with its person's consent."""
