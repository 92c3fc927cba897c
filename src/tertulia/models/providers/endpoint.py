"""Where a provider is, and the key it wants."""

from dataclasses import dataclass, field

from tertulia.infra.http.ssrf import NetworkReach


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One server that runs models.

    `slug` names the connection to people, `kind` says what the server is
    (`openai`, `anthropic`, `google`, `openrouter`, `ollama`, …) and so which
    wire format it speaks. A server without keys has an empty one.
    """

    slug: str
    kind: str
    base_url: str
    key: str = field(default="", repr=False)
    #: How far requests to it may go: to our own network only where somebody allowed it.
    reach: NetworkReach = NetworkReach.INTERNET

    def url(self, path: str, *, version: str = "") -> str:
        """Return the address of `path`, whether or not the base already ends in the API's version."""
        base = self.base_url.rstrip("/")
        if version:
            base = f"{base.removesuffix(f'/{version}')}/{version}"
        return f"{base}/{path}"
