"""The codes that benchmarks/motion.py compares, one file each, on problems with trusted solutions."""
