"""`python -m indistinct` is `indistinct`."""

from indistinct.cli import main

if __name__ == "__main__":
    main()
