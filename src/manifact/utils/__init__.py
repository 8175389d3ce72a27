"""What every room may use: checks, memory, progress, whole files."""
