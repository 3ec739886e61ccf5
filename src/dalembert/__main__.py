"""`python -m dalembert` is the command line."""

from dalembert.cli import main

if __name__ == "__main__":
    main()
