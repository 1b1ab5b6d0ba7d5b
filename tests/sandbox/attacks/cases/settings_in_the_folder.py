"""Settings of nbgrader, Jupyter, IPython, pytest and Python, and modules that these load by themselves, lie beside the notebook."""

EVIL = "import pathlib\npathlib.Path('/tmp/attack-settings').write_text('here')\n"
FILES = {
    "nbgrader_config.py": EVIL + "c = get_config()\nc.ExecutePreprocessor.enabled = False\nc.ClearSolutions.enabled = False\n",
    "jupyter_config.json": '{"OverwriteCells": {"enabled": false}, "GetGrades": {"enabled": false}}',
    "jupyter_nbconvert_config.py": EVIL,
    "sitecustomize.py": EVIL,
    "usercustomize.py": EVIL,
    "conftest.py": EVIL + "def pytest_runtest_call(item): item.obj = lambda *a, **k: None\n",
    "pytest.ini": "[pytest]\naddopts = -p attack_plugin --co\n",
    "attack_plugin.py": EVIL,
    "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '--co'\n",
    "course.toml": "[course]\npenalty = 0\n",
    ".ipython/profile_default/startup/00-attack.py": EVIL,
    ".env": "PYTHONSTARTUP=conftest.py\n",
    "autograder/__init__.py": EVIL,
    "autograder/checks/__init__.py": EVIL,
    "torch/__init__.py": EVIL,
    "json.py": EVIL,
}


def hand_in(folder, notebook, save):
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    save(notebook)
