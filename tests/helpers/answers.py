"""Small answers to exercises, as a student's notebook would hold them."""

from known import LESSONS

import course_lib.layers
from autograder.checks.execute import NotebookStudent
from autograder.content import references
from autograder.content.lesson import Lesson

ATTENTION = LESSONS.of("01-attention")


def runs_in(lesson: Lesson, text: str) -> dict:
    """Return the namespace in which a known answer has run, beside the right versions of all other exercises."""
    names = references.namespace(lesson)
    names |= {"layers": course_lib.layers, "TransformerConfig": course_lib.layers.TransformerConfig}
    exec(compile(text, "<answer>", "exec"), names)
    return names


def student(code: str = "", lesson: Lesson = ATTENTION) -> NotebookStudent:
    """A student whose notebook holds the right answers, and then runs ``code``."""
    namespace = references.namespace(lesson)
    exec(compile(code, "<cell>", "exec"), namespace)
    return NotebookStudent(namespace, lesson)


RIGHT_ATTENTION = """
def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    if allowed is not None:
        E = E.masked_fill(~allowed, float("-inf"))
    A = torch.softmax(E, -1)
    if allowed is not None:
        A = A.nan_to_num()
    return A @ V, A
"""
