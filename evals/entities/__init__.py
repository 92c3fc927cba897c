"""How well people, addresses, phones, days and the like are found in talk."""
