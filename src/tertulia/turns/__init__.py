"""One round, from question to closed replies. `docs/life-of-a-turn.md` walks through it."""
