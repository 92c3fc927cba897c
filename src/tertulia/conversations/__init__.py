"""Conversations: rounds, messages, replies, branches."""
