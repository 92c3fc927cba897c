"""Entities: people, places, dates, figures and the like that were named in a conversation."""
