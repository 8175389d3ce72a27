"""RcppML, R's alternating least squares (Z. DeBruine, K. Melcher, T. Triche 2021), where R has it.

``Rscript -e 'install.packages("RcppML")'`` installs it from CRAN, ``apt-get install r-cran-rcppml`` on Debian; it is
used if ``Rscript`` is on the path. R has a process of its own: X and the factors go through files, and only the
factorisation itself is timed, by R.
"""

from __future__ import annotations

import shutil
import subprocess
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from scipy import io, sparse

from manifact.backends import Array

SCRIPT = """
suppressMessages({library(Matrix); library(RcppML)})
given <- commandArgs(trailingOnly = TRUE)
A <- as(readMM(file.path(given[1], "X.mtx")), "CsparseMatrix")
spent <- system.time(model <- RcppML::nmf(A, as.integer(given[2]), tol = 0, maxit = as.integer(given[3]),
                                          seed = 1, verbose = FALSE))[["elapsed"]]
part <- function(name) if (isS4(model)) methods::slot(model, name) else model[[name]]
write.table(part("w") %*% diag(part("d"), length(part("d"))), file.path(given[1], "V.txt"), row.names = FALSE,
            col.names = FALSE)
write.table(t(part("h")), file.path(given[1], "U.txt"), row.names = FALSE, col.names = FALSE)
cat(spent)
"""


@lru_cache(maxsize=1)
def installed() -> str | None:
    """Its version, or None."""
    if shutil.which("Rscript") is None:
        return None
    asked = "cat(as.character(packageVersion('RcppML')))"
    done = subprocess.run(["Rscript", "-e", asked], capture_output=True, text=True, check=False)
    return done.stdout.strip() or None if done.returncode == 0 else None


def factorised(X: Any, k: int, iterations: int) -> tuple[float, Array, Array]:
    """Seconds of R's clock, V and U, from a random start of its own."""
    with TemporaryDirectory(prefix="manifact-bench-") as folder:
        io.mmwrite(Path(folder) / "X.mtx", sparse.coo_array(X))
        command = ["Rscript", "-e", SCRIPT, folder, str(k), str(iterations)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        V, U = (np.loadtxt(Path(folder) / f"{name}.txt", ndmin=2) for name in ("V", "U"))
    return float(done.stdout.split()[-1]), V, U
