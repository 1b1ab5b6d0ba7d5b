"""Training by the student's own loop, such as `train` of 05-translation: the additions of `fit` happen between two batches."""

import ast
import inspect
import json
import linecache
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from torch import Tensor

from course_lib.training.batches import to_device
from course_lib.training.run import Run
from course_lib.training.schedule import rate_factor

#: ``train(model, loss_of, batches, make_optimizer, rate_of, clip=...)``: one step for every batch; steps count from 1.
Train = Callable[..., Any]

TRANSLATION = Path("..", "05-translation", "translation.ipynb")


def train_by(train: Train, run: Run, loss_of: Callable[[Any], Tensor], after_step: Callable[[Tensor], None]) -> None:
    """Let `train` take the remaining steps of `run`; `loss_of(batch)` returns a loss, and `after_step(loss)` follows each step.

    The loop requests its next batch when a step is done: so the generator of the batches counts, validates and saves, and the
    numbers equal those of `fit`'s own loop. Raises ValueError if the loop skips the loss or ends too early.
    """
    settings, done = run.settings, run.steps
    rates = set(settings.learning_rates)
    if len(rates) > 1:
        raise ValueError(
            f"Expected one learning rate for all parameters, since train(...) sets one, got {sorted(rates)}. "
            "Leave out train=, or give all groups of the optimizer the same rate."
        )
    if run.scaler.is_enabled():
        raise ValueError("Expected dtype float32 or bfloat16 with train=, which scales no gradients, got float16.")
    losses: list[Tensor] = []

    def batches() -> Iterator[Any]:
        while not run.finished:
            losses.clear()
            yield to_device(next(run.stream), run.device)
            if not losses:
                raise ValueError(
                    f"Expected train to call loss_of(model, batch) in each step, got none in step {run.steps + 1}."
                )
            after_step(losses[-1])

    def loss_in_loop(model: Any, batch: Any) -> Tensor:
        losses.append(loss_of(batch))
        return losses[-1]

    def rate_of(step: int) -> float:
        factor = rate_factor(done + step - 1, settings.steps, settings.warmup, settings.decay)
        return float(settings.learning_rates[0] * factor)

    clip = math.inf if settings.clip is None else settings.clip
    if not run.finished:
        train(run.model, loss_in_loop, batches(), lambda parameters: run.optimizer, rate_of, clip=clip)
    if not run.finished:
        raise ValueError(
            f"Expected train to take a step for every batch, {settings.steps}, but it ended after {run.steps}."
        )


def own_train(notebook: str | Path = TRANSLATION, name: str = "train") -> Train | None:
    """Return the function `name` that a notebook defines, to be given to `fit` as ``train=``, and say so in a line.

    Nothing of the notebook is run but the definition, its imports, and the functions and constants that it uses.
    Returns None, and `fit` takes its own loop, if there is no such notebook, or nothing written in it yet.
    """
    path = Path(notebook)
    found = _definition(path, name) if path.is_file() else None
    if found is None:
        print(f"Trained by the loop of fit: there is no finished {name} in {path}.")
    else:
        print(f"Trained by your own {name} of {path}. (With train=None, fit takes its own loop.)")
    return found


def _definition(path: Path, name: str) -> Train | None:
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    bound = _bindings(sources)
    node = bound.get(name)
    if not isinstance(node, ast.FunctionDef) or _is_unwritten(node):
        return None
    needed: dict[str, ast.stmt] = {}
    _collect(name, bound, needed)
    # What a definition uses when it is made, as a default or a decorator, comes before it.
    code = "\n\n".join(ast.unparse(node) for node in dict.fromkeys(needed.values()))
    file, names = f"<{name} of {path.name}>", {"__name__": f"own_{name}"}
    linecache.cache[file] = (len(code), None, code.splitlines(keepends=True), file)  # for a traceback with its lines
    try:
        exec(compile(code, file, "exec"), names)  # the student's own function, in the student's own kernel
    except Exception:
        return None
    made = names.get(name)
    return made if inspect.isfunction(made) else None


def _bindings(sources: list[str]) -> dict[str, ast.stmt]:
    """Return the last import, definition or constant of each name at the top of a cell, of the cells that Python can read."""
    bound: dict[str, ast.stmt] = {}
    for source in sources:
        lines = ("" if line.startswith(("%", "!")) else line for line in source.splitlines())
        try:
            body = ast.parse("\n".join(lines)).body
        except (SyntaxError, ValueError):
            continue
        for node in body:
            for name in _names_bound_by(node):
                bound[name] = node
    return bound


def _names_bound_by(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [alias.asname or alias.name.split(".")[0] for alias in node.names]
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
        return [target.id for target in node.targets if isinstance(target, ast.Name)]
    return []


def _collect(name: str, bound: dict[str, ast.stmt], needed: dict[str, ast.stmt]) -> None:
    """Add the statements that `name` depends on to `needed`, followed by its own."""
    if name in needed or name not in bound:
        return
    needed[name] = bound[name]
    for part in ast.walk(bound[name]):
        if isinstance(part, ast.Name):
            _collect(part.id, bound, needed)
    needed[name] = needed.pop(name)


def _is_unwritten(node: ast.FunctionDef) -> bool:
    """Return whether a function is still the released stub, which ends in ``raise NotImplementedError``."""
    last = node.body[-1]
    return isinstance(last, ast.Raise) and "NotImplementedError" in ast.unparse(last)
