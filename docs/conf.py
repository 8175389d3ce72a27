"""How the documentation is built: ``python -m sphinx -W --keep-going -b html docs docs/_build/html``."""

import os
import sys
import warnings
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "_ext"))

from members import own_attributes, own_methods  # noqa: E402

from manifact import __version__  # noqa: E402

project = "Manifact"
author = "The Manifact developers"
copyright = author
version = release = __version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "commandline",
    "docstrings",
    "mathml",
    "picture",
    "results",
]

root_doc = "index"
exclude_patterns = ["_build", "_templates", "auto_examples/**/*.ipynb", "auto_examples/**/*.py", "**/_*.md"]
templates_path = ["_templates"]
# `KNNGraph` in a docstring is a link where there is such a name, and plain code where there is none.
default_role = "py:obj"
add_module_names = False
toc_object_entries_show_parents = "hide"
suppress_warnings = [
    # Gallery settings hold functions: the environment is read anew at every build, which is what we want.
    "config.cache",
]

# ---- Mathematics ---------------------------------------------------------------------------------------------------
# MathML from the local extension: browsers draw it themselves, so that pages need neither a script nor the network.
html_math_renderer = "mathml"
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "attrs_block"]
myst_heading_anchors = 3
myst_dmath_double_inline = False

# ---- Reference -----------------------------------------------------------------------------------------------------
autosummary_generate = True
autosummary_generate_overwrite = True
autosummary_imported_members = True
autosummary_context = {"own_methods": own_methods, "own_attributes": own_attributes}
autodoc_typehints = "none"
autodoc_member_order = "bysource"
# The class template lists the methods that are ours; those of scikit-learn's base classes are documented there.
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

# ---- Examples ------------------------------------------------------------------------------------------------------
# MANIFACT_DOCS_EXAMPLES is a regular expression of the examples to run, for a quick build: "plot_digits" runs one,
# "none" runs none. The others are shown without their output.
sphinx_gallery_conf = {
    "examples_dirs": str(HERE.parent / "examples"),
    "gallery_dirs": "auto_examples",
    "filename_pattern": os.environ.get("MANIFACT_DOCS_EXAMPLES", r"[\\/]plot_"),
    "doc_module": ("manifact",),
    "reference_url": {"manifact": None},
    "backreferences_dir": "generated/backreferences",
    "within_subsection_order": "FileNameSortKey",
    "show_memory": False,
    "show_signature": False,
    "download_all_examples": False,
    "remove_config_comments": True,
    "abort_on_example_error": False,
    "matplotlib_animations": False,
    "plot_gallery": "True",
}
warnings.filterwarnings("ignore", message="Matplotlib is currently using agg")

# ---- Pages ---------------------------------------------------------------------------------------------------------
html_theme = "pydata_sphinx_theme"
html_title = "Manifact"
html_static_path = ["_static"]
html_css_files = ["manifact.css"]
html_favicon = "_static/mark.svg"
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {
        "image_light": "_static/logo.svg",
        "image_dark": "_static/logo-dark.svg",
        "alt_text": "Manifact",
    },
    "header_links_before_dropdown": 8,
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "show_prev_next": True,
    "footer_start": ["copyright"],
    "footer_end": ["sphinx-version"],
    "secondary_sidebar_items": ["page-toc"],
}
html_sidebars = {"index": [], "getting-started": []}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
