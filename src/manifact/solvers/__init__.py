"""How a sum of terms is minimised: the one loop, the steps it takes, and the linear systems behind some of them."""
