"""What models were or would be shown, for people to look at: receipts, estimates and the meter."""
