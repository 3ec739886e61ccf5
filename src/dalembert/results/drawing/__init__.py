"""Pictures of systems: a scene that is computed once, and what draws it (matplotlib, and a player in the browser)."""
