"""A model: parts that are smooth along their features, held against growth by a penalty on V."""

from toy_term import TotalVariation

from manifact.models.base import Factorization
from manifact.models.declaration import model
from manifact.utils import checks


@model(name="smooth-parts", paper="nobody", command_line={"init": "nndsvda"})
class SmoothPartsNMF(Factorization):
    """Minimise ‖X − V Uᵀ‖² + λ Σ_k Σ_i |u_ik − u_{i+1,k}| + α/2 ‖V‖² over U, V ≥ 0, the absolute value rounded off.

    Parameters
    ----------
    variation_reg : float, default=1
        λ.
    {common parameters}

    Attributes
    ----------
    {common attributes}
    """

    variation_reg: float = 1.0
    # Otherwise V grows, U shrinks, and λ means less at every iteration.
    alpha_V: float = 0.01
    alpha_U: float | str = 0.0

    @property
    def _solvers(self):
        return ("mu",)

    def _check_model(self):
        super()._check_model()
        checks.real("variation_reg", self.variation_reg, at_least=0)

    def _model_terms(self, problem, exact):
        return [TotalVariation(self.variation_reg)] if self.variation_reg > 0 else []
