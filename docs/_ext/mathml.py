"""Mathematics as MathML: written into the page at build time, drawn by the browser, readable without the network."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)


def mathml(node: nodes.Element, display: str) -> str:
    """The formula of a node; TeX that cannot be read is shown as it is, and warned about."""
    tex = node.astext()
    try:
        formula = convert(tex, display=display)
    except Exception as error:
        logger.warning("cannot read the formula %r: %s", tex, error, location=node)
        formula = ""
    if "&</m" in formula or "<mtext>\\" in formula or "<mi>\\" in formula:
        logger.warning("the formula %r uses TeX that latex2mathml does not know", tex, location=node)
    return formula


def visit_inline(self: Any, node: nodes.Element) -> None:
    """Formula within a line."""
    self.body.append(mathml(node, "inline"))
    raise nodes.SkipNode


def visit_block(self: Any, node: nodes.Element) -> None:
    """Formula of its own, with its label where it has one."""
    self.body.append(self.starttag(node, "div", CLASS="formula"))
    self.body.append(mathml(node, "block"))
    self.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
