"""nbgrader's autograding with the student's code in the sandbox and the checks outside it."""

import atexit
import json
import multiprocessing
import os
from pathlib import Path
from typing import Any

from nbformat.notebooknode import NotebookNode, from_dict
from nbgrader.preprocessors import NbGraderPreprocessor

from autograder import submission
from autograder.nbgrader_plugins import guard
from autograder.nbgrader_plugins.guard import trusting
from autograder.nbgrader_plugins.sources import read_source, rebuild
from autograder.results import Store
from autograder.sandbox.box import Box
from autograder.sandbox.bubblewrap import SandboxMissing

_SKIPPED = "This experiment is as it was handed out. It was not run for grading."


class RebuildMetadata(NbGraderPreprocessor):
    """Give a submission's cells the metadata of the gradebook, whatever they came with."""

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        about = resources["nbgrader"]
        return rebuild(nb, read_source(about["db_url"], about["assignment"], about["notebook"])), resources


class SealedExecute(NbGraderPreprocessor):
    """Take the place of nbgrader's ``Execute``: use the ready result of this submission, or make it now."""

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        about = resources["nbgrader"]
        course = self.parent.parent.coursedir
        store = Store(Path(course.root, "grading"), class_seed())
        folder = Path(course.format_path(course.autograded_directory, about["student"], about["assignment"]))
        result = ready_or_graded(store, about["assignment"], nb.cells, guard.extra_files(folder))
        apply(nb, result)
        return nb, resources


def class_seed() -> int | None:
    """Return the seed that ``autograder grade --seed`` asks for, if any."""
    text = os.environ.get("AUTOGRADER_CLASS_SEED", "")
    return int(text) if text else None


class _Boxes:
    """The sandbox of this process: started when it is first needed, and anew when it has gone."""

    box: Box | None = None

    @classmethod
    def get(cls) -> Box:
        if cls.box is None or cls.box.process.poll() is not None:
            cls.close()
            cls.box = Box()
        return cls.box

    @classmethod
    def close(cls) -> None:
        if cls.box is not None:
            cls.box.close()
            cls.box = None


atexit.register(_Boxes.close)


def grade_here(assignment: str, cells: Any, seed: int, files: dict[str, bytes]) -> submission.Result:
    """Grade a submission in this process's sandbox. A sandbox that has gone meanwhile is started again, once."""
    if trusting():
        return _in_own_process(assignment, cells, seed, files)
    try:
        return submission.grade(assignment, cells, seed, _Boxes.get(), files)
    except SandboxMissing:
        _Boxes.close()
        return submission.grade(assignment, cells, seed, _Boxes.get(), files)


#: A trusted submission that is not done after this many seconds is given up.
_LONGEST = 900


def _in_own_process(assignment: str, cells: Any, seed: int, files: dict[str, bytes]) -> submission.Result:
    """Grade a trusted submission without a sandbox, in a process that ends with it."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["torch", "autograder.submission"])
    receiver, sender = context.Pipe(duplex=False)
    plain = json.dumps(cells)  # nbformat's own classes need not be known there
    process = context.Process(target=_grade_and_send, args=(sender, assignment, plain, seed, files))
    process.start()
    sender.close()
    try:
        if not receiver.poll(_LONGEST):
            raise RuntimeError(f"the submission was not done after {_LONGEST} s")
        return receiver.recv()
    except EOFError:
        process.join()
        raise RuntimeError(f"the submission ended its process (code {process.exitcode})") from None
    finally:
        process.kill()
        process.join()
        receiver.close()


def _grade_and_send(sender: Any, assignment: str, cells: str, seed: int, files: dict[str, bytes]) -> None:
    sender.send(submission.grade(assignment, json.loads(cells), seed, None, files))


def ready_or_graded(store: Store, assignment: str, cells: Any, files: dict[str, bytes]) -> submission.Result:
    """Return the stored result of a submission, or grade it and store the result."""
    key, seed = name_and_seed(store, assignment, cells, files)
    result = store.get(key)
    if result is None:
        result = grade_here(assignment, cells, seed, files)
        store.put(key, result)
    return result | {"key": key}


def name_and_seed(store: Store, assignment: str, cells: Any, files: dict[str, bytes]) -> tuple[str, int]:
    """Return the name of a submission's result and the seed of its inputs."""
    seed = store.seed_for(submission.key_of(assignment, cells, files, 0))
    return submission.key_of(assignment, cells, files, seed, sealed=not trusting()), seed


def apply(nb: NotebookNode, result: submission.Result) -> None:
    """Write a result's outputs into the notebook. A grade cell without a result gets 0, never nothing."""
    outputs = {int(number): items for number, items in result["cells"].items()}
    nb.metadata["course"] = {"result": result.get("key", ""), "sealed": result["sealed"]}
    for number, cell in enumerate(nb.cells):
        if cell.cell_type != "code":
            continue
        cell.outputs = [from_dict(item) for item in outputs.get(number, [])]
        marks = cell.metadata.get("nbgrader", {})
        if number not in outputs and marks.get("grade") and not marks.get("solution"):
            text = {"text/plain": "0.0"}
            cell.outputs = [
                from_dict({"output_type": "execute_result", "metadata": {}, "execution_count": None, "data": text})
            ]
        elif number not in outputs and cell.metadata.get("course", {}).get("experiment"):
            text = {"text/plain": _SKIPPED}
            cell.outputs = [from_dict({"output_type": "display_data", "metadata": {}, "data": text})]
