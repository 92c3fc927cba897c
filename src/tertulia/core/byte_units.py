"""Units of sizes in bytes."""

MEGABYTE_BYTES = 1_000_000
MEBIBYTE_BYTES = 1024 * 1024
