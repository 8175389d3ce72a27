"""``manifact bench``: ours beside peers, in one process and in turns.

Each section is a module with one function, ``measure(setting)``, which returns rows of plain numbers and a note. This
file holds only their names, so that the command line can show them without loading anything.
"""

#: Name of a section -> its title. A section's module has its name.
SECTIONS = {
    "kl": "One iteration of NMF with the divergence",
    "frobenius": "Time to scikit-learn's least-squares objective",
    "gnmf": "GNMF: time to the published rule's objective",
    "lpnmf": "One iteration of LPNMF",
    "graph": "Exact nearest-neighbour graphs",
    "mnist": "MNIST: neighbours and a whole GNMF",
    "memory": "Peak memory of fit",
}
