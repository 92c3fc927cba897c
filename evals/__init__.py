"""How well search finds what people ask for, on a labelled set over real text and code."""
