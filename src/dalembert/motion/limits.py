"""How much may be asked of one motion, so that no mistake fills the memory."""

MAX_SAMPLES = 10_000_000
MAX_STEPS = 1_000_000_000
