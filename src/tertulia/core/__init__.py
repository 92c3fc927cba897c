"""Words every part of Tertulia shares: ids, clock, principal, errors."""
