"""Outside: plain data that cells have made with libraries which an exercise may not import, carried to the exercise's worker.

A cell that reads the size of a picture from scikit-learn's digits defines a number; the exercise that uses it needs the number,
not the library. What was computed before a question is asked cannot answer it.
"""

from autograder.sandbox.inside import encoding
from autograder.sandbox.outside.worker import Worker


def carry(source: Worker, target: Worker) -> set[str]:
    """Give ``target`` the plain data of ``source`` under names that it does not have. Returns the names that were sent.

    Raises Stopped if one of the two does not answer.
    """
    reply, unpacking = source.ask("values", {})
    try:
        data = unpacking.value(reply.get("values"))
    except encoding.BadMessage:
        data = None
    values = {name: value for name, value in data.items() if name.isidentifier()} if isinstance(data, dict) else {}
    if values:
        packing = encoding.Packing()
        target.ask("give", {"values": encoding.pack(values, packing)}, packing)
    return {*values}
