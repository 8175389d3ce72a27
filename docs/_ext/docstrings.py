"""Links between docstrings."""

from __future__ import annotations

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.nodes import make_refnode


def short_names(app: Sphinx, env: BuildEnvironment, node: pending_xref, content: nodes.Node) -> nodes.Node | None:
    """Link `KNNGraph` from wherever it is mentioned, if just one public name ends so."""
    name = node.get("reftarget", "")
    if node.get("refdomain") != "py" or "." in name:
        return None
    known = env.get_domain("py").get_objects()
    found = [(docname, anchor) for full, _, _, docname, anchor, _ in known if full.endswith(f".{name}")]
    if len(found) != 1 or node.get("reftype") != "obj":
        return None
    docname, anchor = found[0]
    return make_refnode(app.builder, node["refdoc"], docname, anchor, content, name)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register."""
    app.connect("missing-reference", short_names)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
