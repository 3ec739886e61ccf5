"""What a user gets to see of a motion."""
