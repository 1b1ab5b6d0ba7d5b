"""The command line itself: what is typed, what is told about a wrong call, and what happens when nobody reads on."""

import os
import re
import shlex
import subprocess
import sys

import click
import pytest
from known import ASSIGNMENTS, LESSONS

from autograder.cli.main import autograder, main
from autograder.grading.lms import platforms
from autograder.grading.lms.export import FORMATS

COMMANDS = autograder.commands
EXAMPLES = {name: shlex.split(re.search("Example: autograder (.*)", one.epilog)[1]) for name, one in COMMANDS.items()}
NEEDED = {
    name: [one for one in command.params if one.required and isinstance(one, click.Argument)]
    for name, command in COMMANDS.items()
}


def parsed(*words):
    """The arguments that the command in ``words`` is called with."""
    with autograder.make_context("autograder", [*words]) as context:
        name, command, arguments = autograder.resolve_command(context, [*words])
        return command.make_context(name, arguments, parent=context).params


@pytest.fixture
def refused(capsys):
    """Return what is told about a call that the command line refuses."""

    def run(*words):
        assert main([*words]) == 2
        told = capsys.readouterr()
        assert told.out == ""
        assert "Traceback" not in told.err
        return told.err

    return run


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_shows_an_example_that_it_takes(name, capsys):
    assert main([name, "-h"]) == 0
    told = capsys.readouterr().out
    assert f"Example: autograder {name}" in told
    assert all(option in told for one in COMMANDS[name].params for option in one.opts if option.startswith("-"))
    assert EXAMPLES[name][0] == name
    given = parsed(*EXAMPLES[name])
    lesson = given.get("lesson") or given.get("assignment") or "01-attention"
    assert (lesson in ASSIGNMENTS) != (name == "new-lesson")
    if name in ("answers", "audit", "adopt"):
        assert {given.get("exercise") or given["only"][0]} <= {*LESSONS.of(lesson).exercises}


OF_ASSIGNMENTS = [words for words in EXAMPLES.values() if "assignment" in parsed(*words)]


@pytest.mark.parametrize("words", [*OF_ASSIGNMENTS, ["requests", "01-attention"]], ids=lambda words: words[0])
def test_an_assignment_that_is_not_there_is_an_error(words, course, monkeypatch, capsys):
    """A misspelt name must not look like an assignment in which there is nothing to do."""
    monkeypatch.chdir(course.root)
    (course.root / "submissions.zip").write_bytes(b"")
    other = ["7-nothing" if word in ASSIGNMENTS else word for word in words]
    assert main(other if other != words else [*words, "--assignment", "7-nothing"]) == 2
    told = capsys.readouterr()
    assert "7-nothing" in told.err
    assert "01-attention" in told.err.replace("7-nothing", ""), "which there are"
    assert told.out == ""


def test_the_list_of_commands_is_whole_and_cuts_no_sentence(capsys):
    assert main(["--help"]) == 0
    told = capsys.readouterr().out
    assert re.findall(r"^  ([a-z-]+)  +[A-Z].*\w\S*\.$", told, re.MULTILINE) == [*COMMANDS]
    assert "..." not in told.split("Commands:")[1]


def test_help_loads_nothing_heavy():
    """It is asked for often, and a shell that completes waits for it."""
    code = f"""if True:
        import sys
        from autograder.cli.main import main
        assert [main([*words, "--help"]) for words in {[[], *([name] for name in COMMANDS)]!r}] == [0] * {len(COMMANDS) + 1}
        print(sorted({{"torch", "nbgrader", "numpy", "pytest", "IPython", "matplotlib", "rich"}} & set(sys.modules)))
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1:] == ["[]"], done.stderr


@pytest.mark.parametrize(
    ("command", "option", "known"), [("collect", "platform", platforms.PLATFORMS), ("export", "to", FORMATS)]
)
def test_an_option_lists_every_platform(command, option, known):
    """The commands do not import them, because help and completion have to be fast."""
    [choice] = [one.type.choices for one in COMMANDS[command].params if one.name == option]
    assert sorted(choice) == sorted(known)


def test_every_command_in_the_documentation_exists_with_its_options(root):
    """Written out: an abbreviation ends when there is another option that begins like it."""
    pages = [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").glob("*.md"))]
    found = [
        (page.name, name, set(re.findall(r"(?<=\s)--?[a-z][a-z-]*", rest)))
        for page in pages
        for name, rest in re.findall(r"\bautograder ([a-z]+(?:-[a-z]+)*)\b([^`\n#|]*)", page.read_text(encoding="utf8"))
        if name != "import"
    ]
    assert len(found) > 40
    unknown = [
        (page, name, options)
        for page, name, options in found
        if name not in COMMANDS
        or not options <= {"--no-browser", *(o for one in COMMANDS[name].params for o in one.opts)}
    ]
    assert unknown == []


@pytest.mark.parametrize(
    ("word", "more"),
    [
        ("grad", "Did you mean grade?"),
        ("hand_in", "Did you mean hand-in?"),
        ("--grade", ""),
        ("-x", ""),
        ("01-attention", "Expected one of: lab, check, progress, hand-in, request-form, models, "),
    ],
)
def test_an_unknown_command_is_refused_with_a_suggestion(refused, word, more):
    told = refused(word)
    assert word in told
    assert "Try 'autograder --help'" in told
    if more:
        assert f"There is no command {word!r}. {more}" in told


def test_a_path_that_is_not_a_notebook_is_refused(refused, tmp_path):
    for path, what in ((tmp_path / "nothere.ipynb", "No such file"), (tmp_path, "This is a folder")):
        assert f"{what}: {path}. Expected the path of a notebook" in refused("check", str(path))


def test_a_missing_command_is_named(refused):
    assert "Missing command" in refused()


@pytest.mark.parametrize("name", [name for name, needed in NEEDED.items() if needed])
def test_a_missing_argument_is_named(refused, name):
    """Each of them in turn, those before it given."""
    for number, argument in enumerate(NEEDED[name]):
        told = refused(name, *["x"] * number)
        assert f"Usage: autograder {name} [OPTIONS] " in told
        assert f"Missing argument '{argument.metavar or argument.name.upper()}'" in told
        assert f"Try 'autograder {name} --help'" in told


@pytest.mark.parametrize("name", [name for name in COMMANDS if all(one.nargs == 1 for one in COMMANDS[name].params)])
def test_an_extra_argument_is_refused(refused, name):
    assert re.search(r"unexpected extra argument|Missing option", refused(name, *["x"] * (len(NEEDED[name]) + 2)))


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "lab"])
def test_an_unknown_option_is_refused(refused, name):
    assert "--no-such-option" in refused(name, *["x"] * len(NEEDED[name]), "--no-such-option", "3")


@pytest.mark.parametrize(
    ("call", "came", "expected"),
    [
        ("check x.ipynb --seed soon", "'soon'", "integer"),
        ("grade 01-attention --workers many", "'many'", "integer"),
        ("grade 01-attention --workers 0", "0", "x>=1"),
        ("feedback 01-attention --workers -2", "-2", "x>=1"),
        ("questions s01 01-attention --count 0", "0", "x>=1"),
        ("similar 01-attention --least most", "'most'", "number"),
        ("similar 01-attention --least 1.5", "1.5", "0<x<=1"),
        ("similar 01-attention --least 0", "0", "0<x<=1"),
        ("export 01-attention --to excel", "'excel'", "'canvas', 'moodle', 'brightspace'"),
        ("requests 01-attention --answer first", "'first'", "integer"),
        ("audit --tenth half", "'half'", "integer"),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused(refused, call, came, expected):
    told = refused(*call.split())
    assert came in told
    assert expected in told
    assert f"Try 'autograder {call.split()[0]} --help'" in told


def test_a_value_for_a_flag_is_refused(refused):
    assert "'--force' does not take a value" in refused("grade", "01-attention", "--force=yes")


def test_a_missing_required_option_is_named(refused):
    assert "Missing option '--reason'" in refused("request", "s01", "01-attention")
    assert "Missing option '--to'" in refused("export", "01-attention")


def test_an_option_may_be_abbreviated():
    assert parsed("grade", "x", "--trust", "--st", "a", "--stud=b", "--work=2")["students"] == ("a", "b")
    assert parsed("grade", "x", "--trust")["trust"] is True
    assert parsed("export", "x", "--to", "csv", "--un")["unmarked"] is True
    given = parsed("lab", "--fo", "mine", "--no", "--no-b")
    assert (given["folder"].name, given["no_start"], given["options"]) == ("mine", True, ("--no-b",))


def test_an_abbreviation_of_two_options_names_both(refused):
    assert "--s may be --scheduler or --student or --seed" in refused("grade", "x", "--s", "3")
    assert "--s may be --seed or --student" in refused("check", "x", "--s", "3")


@pytest.mark.parametrize("value", ["--right", "--rigth", "-h", "--"])
def test_an_option_is_never_the_value_of_another(refused, value):
    """Else `adopt --hint --right` would write a mistake with the hint "--right"."""
    assert "Expected a value after --hint" in refused("adopt", "s01", "softmax", "--hint", value)


def test_a_value_or_an_argument_may_look_like_an_option_where_it_is_none():
    given = parsed("request", "-5", "- x -", "--reason", "-- why? --", "--exercise=--json")
    assert given == {"student": "-5", "assignment": "- x -", "reason": "-- why? --", "exercise": "--json"}
    assert parsed("check", "--seed", "-5", "--", "--json")["notebook"].name == "--json"
    assert parsed("check", "--seed", "-5", "--", "--json")["seed"] == -5


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ([], None),
        (["--names"], []),
        (["--names", "01-attention", "11-vit"], ["01-attention", "11-vit"]),
        (["--names", "--verbose"], []),
        (["--verbose", "--names=11-vit"], ["11-vit"]),
    ],
)
def test_the_lessons_behind_names(monkeypatch, words, names):
    asked = []
    monkeypatch.setattr("autograder.authoring.audit.audit", lambda **options: asked.append(options) or 0)
    assert main(["audit", *words, "--no-attacks", "--exercise", "softmax"]) == 0
    assert asked[0]["names"] == names
    assert (asked[0]["attacks"], asked[0]["only"], asked[0]["verbose"]) == (False, ("softmax",), "--verbose" in words)


def test_a_lesson_without_names_is_refused(refused):
    assert "got 01-attention. Lessons go after --names" in refused("audit", "01-attention")


@pytest.mark.parametrize(
    ("words", "passed"),
    [
        ("--port 8899", "--port 8899"),
        ("--port 8899 --folder mine --no-browser", "--port 8899 --no-browser"),
        ("--folder=mine -- --port 8899 --folder theirs", "--port 8899 --folder theirs"),
        ("--no-start -y --ServerApp.token= --ip=0.0.0.0", "-y --ServerApp.token= --ip=0.0.0.0"),
        ("--no-browser -- --allow-root", "--no-browser --allow-root"),
        ("", ""),
    ],
)
def test_lab_passes_on_what_is_not_its_own(words, passed):
    given = parsed("lab", *words.split())
    assert " ".join(given["options"]) == passed
    assert given["folder"].name == ("mine" if "mine" in words else "work")


def test_lab_refuses_an_option_of_its_own_without_a_value(refused):
    assert "Expected a value after --folder" in refused("lab", "--folder", "--port", "8899")


@pytest.mark.parametrize("words", ['["--help"]', '["grade", "--help"]', '["grad"]', '["big"]', '["small"]'])
@pytest.mark.parametrize("both", [False, True])
def test_nobody_reads_on(words, both):
    """As in `autograder why … | head`: no traceback, and not the status of a good verdict."""
    code = f"""if True:
        import click, sys
        from autograder.cli.main import autograder, main
        autograder.add_command(click.Command("big", callback=lambda: print("x" * 1_000_000)))
        autograder.add_command(click.Command("small", callback=lambda: print("x")))
        sys.exit(main({words}))
    """
    reads, writes = os.pipe()
    os.close(reads)
    done = subprocess.run(
        [sys.executable, "-c", code], stdout=writes, stderr=writes if both else subprocess.PIPE, text=True
    )
    os.close(writes)
    assert done.returncode == (2 if 'grad"' in words and not both else 1)
    assert both or "Traceback" not in done.stderr
    assert both or "BrokenPipe" not in done.stderr


def test_a_broken_pipe_to_another_process_is_an_error(monkeypatch):
    """A writer or a worker that has ended must not look like `| head`."""

    def broken(**_):
        raise BrokenPipeError

    monkeypatch.setattr(COMMANDS["feedback"], "callback", broken)
    with pytest.raises(BrokenPipeError):
        main(["feedback", "01-attention"])


def test_an_interruption_is_not_a_verdict(monkeypatch):
    def interrupted(**_):
        raise KeyboardInterrupt

    monkeypatch.setattr(COMMANDS["feedback"], "callback", interrupted)
    with pytest.raises(KeyboardInterrupt):
        main(["feedback", "01-attention"])


def completed(monkeypatch, capfd, line):
    """What bash gets for a line whose last word is not finished."""
    asked = {"_AUTOGRADER_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(len(line.split()) - 1)}
    for name, value in asked.items():
        monkeypatch.setenv(name, value)
    assert main() == 0
    return {told.split(",")[1] for told in capfd.readouterr().out.split()}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("autograder ne", {"new-exercise", "new-lesson"}),
        ("autograder grade 01", {"01-attention"}),
        ("autograder build 01-attention 1", {name for name in ASSIGNMENTS if name.startswith("1")}),
        ("autograder grade --tr", {"--trust-submissions"}),
        ("autograder export 01-attention --to c", {"canvas", "csv"}),
        ("autograder why s0", {"s01", "s02"}),
        ("autograder adopt s01 softmax --hint --r", {"--right"}),
    ],
)
def test_a_shell_completes(monkeypatch, capfd, root, tmp_path, line, expected):
    for name in ("solutions", "nbgrader_config.py"):
        (tmp_path / name).symlink_to(root / name)
    for name in ("s01", "s02"):
        (tmp_path / "grading" / "submitted" / name).mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert completed(monkeypatch, capfd, line) == expected


def test_outside_of_a_course_a_shell_completes_no_lesson(monkeypatch, capfd, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert completed(monkeypatch, capfd, "autograder grade 0") == set()


@pytest.mark.parametrize("command", ["progress", "hand-in", "request-form"])
def test_an_unknown_lesson_is_reported_without_another_command(refused, command):
    told = refused(command, "nowhere")
    assert "There is no notebook of nowhere here" in told
    assert "autograder " not in told
