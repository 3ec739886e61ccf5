"""The sources of native steppers: Python that is only ever compiled; `motion/entry.py` calls what comes out."""
