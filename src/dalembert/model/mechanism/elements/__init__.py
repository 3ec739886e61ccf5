"""What pushes and pulls on the bodies of a mechanism: springs, dampers, actuators, loads."""
