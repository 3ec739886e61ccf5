"""Bodies, joints and force elements, and the system that they make."""
