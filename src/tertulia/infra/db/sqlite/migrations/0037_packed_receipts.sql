-- The sections of a receipt's plan and what was left out of it, packed; earlier receipts have them in `plan`.
ALTER TABLE receipts ADD COLUMN items TEXT;
