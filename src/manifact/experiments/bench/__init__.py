"""``manifact bench``: ours beside peers, in one process and in turns.

Each section is a module with one function, ``measure(setting)``, which returns rows of plain numbers and a note. This
file holds only their names, so that the command line can show them without loading anything.
"""

from typing import NamedTuple


class Section(NamedTuple):
    """What a section is called in print, and the module of this package that measures it."""

    title: str
    module: str


#: By their names on the command line and in the names of result files.
SECTIONS = {
    "kl": Section("One iteration of NMF with the divergence", "kl_iteration"),
    "frobenius": Section("Time to scikit-learn's least-squares objective", "frobenius_descent"),
    "gnmf": Section("GNMF: time to the published rule's objective", "gnmf_descent"),
    "lpnmf": Section("One iteration of LPNMF", "lpnmf_iteration"),
    "peers": Section("Time to the objective at which other packages end", "peer_objectives"),
    "corners": Section("Slow corners beside what they are held against", "slow_corners"),
    "graph": Section("Exact nearest-neighbour graphs", "neighbour_search"),
    "mnist": Section("MNIST: neighbours and a whole GNMF", "mnist_digits"),
    "age": Section("Iterations at the beginning and at the end of a run", "iteration_age"),
    "threads": Section("One iteration on 1, 2, 4, ... threads", "thread_counts"),
    "serial": Section("What one thread does of an iteration, whatever the number of cores", "serial_share"),
    "bytes": Section("Bytes that an iteration moves, beside those that it must", "bytes_moved"),
    "streams": Section("Blocks one after another: error after a few passes, beside the full batch", "online_passes"),
    "cluster": Section("One iteration on local processes of Dask's, beside a simulation", "cluster_iterations"),
    "memory": Section("Peak memory of fit", "fit_memory"),
    "blocks": Section("One iteration in one memory, in blocks, on disk and by Dask's threads", "block_iterations"),
    "disk": Section("A-LPNMF on documents on disk, in 3 GiB of memory", "out_of_core_fits"),
}
