"""The language of models: expressions, functions, printing, and SymPy in and out."""
