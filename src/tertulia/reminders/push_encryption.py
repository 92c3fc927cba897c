"""Encrypting messages so that only the browser reads them that they are for (RFC 8291)."""

import json
from importlib import import_module

from tertulia.reminders.domain import PushSubscription, ReminderMessage
from tertulia.reminders.push_keys import P256_POINT_BYTES, decode_base64url

AUTH_SECRET_BYTES = 16
#: The first byte of a point that is written in full.
UNCOMPRESSED_POINT = 4


def encrypt_message(message: ReminderMessage, subscription: PushSubscription) -> bytes:
    """Return a message as only the browser of a subscription can read it."""
    from cryptography.hazmat.primitives.asymmetric import ec

    told = {"title": message.title, "text": message.text, "path": message.path, "tag": message.tag}
    encrypted: bytes = import_module("http_ece").encrypt(
        json.dumps(told, ensure_ascii=False).encode(),
        private_key=ec.generate_private_key(ec.SECP256R1()),
        dh=decode_base64url(subscription.p256dh),
        auth_secret=decode_base64url(subscription.auth),
        version="aes128gcm",
    )
    return encrypted


def is_public_key(text: str) -> bool:
    """Tell whether a text is a point of the curve that browsers use."""
    from cryptography.hazmat.primitives.asymmetric import ec

    try:
        raw = decode_base64url(text)
        if len(raw) != P256_POINT_BYTES or raw[0] != UNCOMPRESSED_POINT:
            return False
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), raw)
    except ValueError:
        return False
    return True


def is_auth_secret(text: str) -> bool:
    """Tell whether a text is a secret as browsers make it."""
    try:
        return len(decode_base64url(text)) == AUTH_SECRET_BYTES
    except ValueError:
        return False
