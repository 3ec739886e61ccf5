"""From equations to motion."""
