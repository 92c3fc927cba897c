"""Search over files and talk, as people and programs meet it."""
