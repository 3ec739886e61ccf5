"""What is found out about a system before it is derived or moved."""
