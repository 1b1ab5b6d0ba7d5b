"""A cell waits at its top level for what never comes, beside tasks that never end."""

# replaces: softmax
import asyncio


async def forever():
    while True:
        await asyncio.sleep(0)


tasks = [asyncio.ensure_future(forever()) for _ in range(10)]
await asyncio.Event().wait()


def softmax(E, dim=-1):
    return E
