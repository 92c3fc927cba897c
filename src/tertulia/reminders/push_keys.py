"""The key by which servers of web push know this server (VAPID, RFC 8292): made once, sealed, kept."""

import asyncio
import base64
import json
from datetime import timedelta
from urllib.parse import urlsplit

from tertulia.core.clock import now
from tertulia.infra.db import Database
from tertulia.infra.db.server_facts import agree_on_fact, find_fact
from tertulia.infra.secrets import SecretVault

PUSH_KEY_FACT = "push_key"
#: RFC 8292 allows a day at most.
VAPID_TTL = timedelta(hours=12)
P256_POINT_BYTES = 65
P256_NUMBER_BYTES = 32


class PushKeys:
    """Signs for this server, and says by which public key it is known."""

    def __init__(self, db: Database, vault: SecretVault, *, contact: str) -> None:
        self._db = db
        self._vault = vault
        #: Where whoever runs a server of web push can reach whoever runs this one.
        self._contact = contact
        self._private_key = ""

    async def public_key(self) -> str:
        """Return the public key, as browsers want it."""
        private_key = await self._load()
        return await asyncio.to_thread(public_key_of, private_key)

    async def authorization(self, endpoint: str) -> str:
        """Return the header that says who sends a message to an endpoint."""
        private_key = await self._load()
        return await asyncio.to_thread(self._sign, private_key, endpoint)

    async def _load(self) -> str:
        """Return the private key; of several processes that make one at first, one decides."""
        if not self._private_key:
            sealed = await self._db.read(lambda tx: find_fact(tx, PUSH_KEY_FACT), by=None)
            if sealed is None:
                made = await asyncio.to_thread(self._make_sealed)
                sealed = await self._db.write(lambda tx: agree_on_fact(tx, PUSH_KEY_FACT, made), by=None)
            self._private_key = await asyncio.to_thread(self._vault.open, sealed, context=PUSH_KEY_FACT)
        return self._private_key

    def _make_sealed(self) -> str:
        return self._vault.seal(make_private_key(), context=PUSH_KEY_FACT)

    def _sign(self, private_key: str, endpoint: str) -> str:
        parts = urlsplit(endpoint)
        claims = {
            "aud": f"{parts.scheme}://{parts.netloc}",
            "exp": int((now() + VAPID_TTL).timestamp()),
            "sub": self._contact,
        }
        return f"vapid t={sign_token(private_key, claims)}, k={public_key_of(private_key)}"


def make_private_key() -> str:
    """Return a new private key as base64url."""
    from cryptography.hazmat.primitives.asymmetric import ec

    number = ec.generate_private_key(ec.SECP256R1()).private_numbers().private_value
    return encode_base64url(number.to_bytes(P256_NUMBER_BYTES, "big"))


def public_key_of(private_key: str) -> str:
    """Return the public key that belongs to a private one, as an uncompressed point in base64url."""
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    number = int.from_bytes(decode_base64url(private_key), "big")
    public = ec.derive_private_key(number, ec.SECP256R1()).public_key()
    return encode_base64url(public.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint))


def sign_token(private_key: str, claims: dict[str, str | int]) -> str:
    """Return a JSON Web Token signed with ES256."""
    from cryptography.hazmat.primitives.asymmetric import ec, utils
    from cryptography.hazmat.primitives.hashes import SHA256

    head = encode_base64url(json.dumps({"typ": "JWT", "alg": "ES256"}).encode())
    signed = f"{head}.{encode_base64url(json.dumps(claims).encode())}"
    number = int.from_bytes(decode_base64url(private_key), "big")
    key = ec.derive_private_key(number, ec.SECP256R1())
    r, s = utils.decode_dss_signature(key.sign(signed.encode(), ec.ECDSA(SHA256())))
    signature = r.to_bytes(P256_NUMBER_BYTES, "big") + s.to_bytes(P256_NUMBER_BYTES, "big")
    return f"{signed}.{encode_base64url(signature)}"


def encode_base64url(raw: bytes) -> str:
    """Write bytes as base64url without padding."""
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def decode_base64url(text: str) -> bytes:
    """Read base64url with padding or without; raise `ValueError` for anything else."""
    bare = text.rstrip("=")
    return base64.b64decode(bare + "=" * (-len(bare) % 4), altchars=b"-_", validate=True)
