"""Tools made of web services, as an OpenAPI document describes them."""
