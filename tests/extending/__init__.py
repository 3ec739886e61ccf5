"""What others add, each in one file, passes what is asked of the built-in kinds."""
