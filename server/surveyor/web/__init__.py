"""The web, where the user has allowed it: which hosts, by which addresses, how much, how fast."""
