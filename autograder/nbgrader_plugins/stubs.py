"""Stubs with a message that says what to write."""

import json
import re

from nbformat.notebooknode import NotebookNode
from nbgrader.preprocessors import ClearSolutions

_BEGIN = re.compile(r"### BEGIN SOLUTION[ :]*(.*)")
_STUB = re.compile(r"raise NotImplementedError\(\)")


class SentenceStubs(ClearSolutions):
    """nbgrader's ``ClearSolutions``, with the sentence after ``### BEGIN SOLUTION`` as the stub's message."""

    def _replace_solution_region(self, cell: NotebookNode, language: str) -> bool:
        sentences = _BEGIN.findall(cell.source)
        replaced = super()._replace_solution_region(cell, language)
        messages = iter(json.dumps(s.strip(), ensure_ascii=False) if s.strip() else "" for s in sentences)
        cell.source = _STUB.sub(lambda stub: f"raise NotImplementedError({next(messages, '')})", cell.source)
        return replaced
