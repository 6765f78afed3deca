"""How Sphinx renders the pages: Markdown as on GitHub, one theme, nothing from another host."""

project = "LRO"
html_title = "LRO"
author = ""
copyright = ""
extensions = ["myst_parser"]
root_doc = "index"
source_suffix = {".md": "markdown"}
language = "en"

# Anchors of headings are those of GitHub, so that links work in both places.
myst_heading_anchors = 4
myst_enable_extensions = ["deflist"]
# Examples may be abridged, so a lexer can meet what is not of its language.
suppress_warnings = ["misc.highlighting_failure", "myst.header"]
pygments_style = "tango"
pygments_dark_style = "github-dark"
highlight_language = "none"

html_theme = "furo"
html_static_path = ["style.css"]
html_css_files = ["style.css"]
html_use_index = False
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_show_copyright = False
html_theme_options = {"navigation_with_keys": True}

