"""From blocks to machine code: routines over tapes, their compilation, the cache, and the kernels of a system."""
