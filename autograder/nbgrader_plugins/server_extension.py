"""The Jupyter Server extension with the page for marking, beside formgrader and behind the same login.

``autograder.json`` beside this file, installed in ``etc/jupyter`` of the environment, enables it.
"""

from typing import Any


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": __name__}]


def _load_jupyter_server_extension(server: Any) -> None:
    """Add the page's addresses; do nothing in a student's environment, which lacks nbgrader."""
    try:
        from autograder.nbgrader_plugins.marking import handlers
    except ImportError:
        return
    server.web_app.add_handlers(".*$", handlers(server.web_app.settings["base_url"]))
