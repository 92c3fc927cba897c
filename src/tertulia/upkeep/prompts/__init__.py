"""The words the utility model is given."""
