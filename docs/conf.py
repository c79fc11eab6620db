"""Settings of the documentation site: `make site` builds it with Sphinx (docs/decisions/0031).

The source folder is the root of the repository, so that a relative link leads to the same page on the site and in a
clone. Pages and pictures under docs/generated are written by docs/generate.py and docs/plots before the build.
"""

from judgemesh.contracts.version import VERSION

project = "judgemesh"
author = "The judgemesh authors"
copyright = "The judgemesh authors, Apache License 2.0"  # noqa: A001 (Sphinx reads this name)
version = release = VERSION

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "docs/index"
include_patterns = [
    "docs/**.md",
    "examples/*/README.md",
    "examples/reference_set/CHANGES.md",
    "benchmarks/README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
]
exclude_patterns = [".*", "build", "dist", "tests", "mesh", "contracts", "validators"]

myst_heading_anchors = 4
myst_enable_extensions = ["attrs_inline", "colon_fence"]

autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
napoleon_google_docstring = True
napoleon_numpy_docstring = False

html_theme = "furo"
html_title = f"judgemesh {VERSION}"
html_static_path = ["_static"]
html_extra_path = ["site_root"]  # a first page that leads to docs/
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    # Colours with a contrast of at least 4.5 to 1 in both schemes.
    "light_css_variables": {
        "color-brand-primary": "#0b6b57",
        "color-brand-content": "#0b6b57",
    },
    "dark_css_variables": {
        "color-brand-primary": "#5fd0b5",
        "color-brand-content": "#5fd0b5",
    },
}
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
