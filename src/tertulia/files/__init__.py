"""Files of a project: contents, versions, paths."""
