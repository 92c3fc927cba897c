"""Tools of other servers, over the Model Context Protocol."""
