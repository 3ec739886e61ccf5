"""What the user writes: the system, its text form, its blocks, its check, its initial state."""
