"""What is found out about a mechanism: mobility, kinematics, transmission, remedies."""
