"""Systems from problems of `sympy.physics.mechanics`: what they are made of, not the equations that SymPy derives."""
