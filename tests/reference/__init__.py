"""Each paper's updates written out plainly: dense, unoptimised, one function per iteration."""
