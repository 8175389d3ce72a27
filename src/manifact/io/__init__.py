"""Files in and out: readers, preparation, writers, model files."""
