"""Files that are larger than memory: read, prepared and kept on disk in blocks of rows."""

from manifact.io.out_of_core.open_blocks import open_blocks

__all__ = ["open_blocks"]
