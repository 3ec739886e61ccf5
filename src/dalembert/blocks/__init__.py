"""The blocks M, f, A, c of a system, as expressions and as numbers."""
