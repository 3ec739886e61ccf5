"""How a formula is written down: the shortest of the ways in which a person might write it."""
