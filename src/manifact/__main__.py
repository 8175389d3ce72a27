"""``python -m manifact``."""

from manifact.cli import main

if __name__ == "__main__":
    main()
