"""The Librarian: answers by quoting what it was given, without a model.

provider     ranks what may be quoted, and writes the best down as quotations
paragraphs   cuts long texts into what can be quoted whole
bm25         how well a text answers to the words of a question
"""
