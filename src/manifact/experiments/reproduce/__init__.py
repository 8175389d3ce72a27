"""The papers' tables and figures, run again: their numbers, ours, and what holds."""
