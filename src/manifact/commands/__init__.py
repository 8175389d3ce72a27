"""What the command line does with people's own data: fit, transform, predict, report."""
