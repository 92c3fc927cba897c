"""The form by which values are compared, for what a person writes by hand."""

from tertulia.entities.amounts import normalise_amount
from tertulia.entities.domain import EntityType
from tertulia.entities.identifiers import normalise_identifier
from tertulia.entities.phone_numbers import normalise_phone
from tertulia.entities.street_addresses import normalise_address
from tertulia.entities.web_addresses import normalise_link

NORMALISERS = {
    EntityType.ADDRESS: normalise_address,
    EntityType.AMOUNT: normalise_amount,
    EntityType.IDENTIFIER: normalise_identifier,
    EntityType.LINK: normalise_link,
    EntityType.PHONE: normalise_phone,
}


def normalise_value(type_: EntityType, value: str) -> str:
    """Return a value as it is compared with what is found in messages."""
    normalise = NORMALISERS.get(type_)
    return normalise(value) if normalise else " ".join(value.casefold().split())
