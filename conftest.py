"""What pytest leaves out: doctests of rooms whose package is not installed."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("torch") else ["src/manifact/backends/torch/*"]
if not find_spec("triton"):
    collect_ignore_glob += ["src/manifact/backends/torch/kernels/*"]
if not (find_spec("dask") and find_spec("distributed")):
    collect_ignore_glob += ["src/manifact/backends/dask/*"]
