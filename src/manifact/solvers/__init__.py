"""How a sum of terms is minimised: the one loop, and the steps it can take."""
