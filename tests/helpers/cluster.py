"""A Dask cluster on this machine, of processes of its own."""

import os
import signal
import socket
import subprocess
import sys


class Cluster:
    """A scheduler and workers, started with ``python`` (default: this one)."""

    def __init__(self, place, python=sys.executable):
        self.place, self.python, self.processes = place, python, []
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.start("dask_scheduler", "--host", "127.0.0.1", "--port", str(self.port))

    def start(self, program, *arguments):
        command = [self.python, "-P", "-m", f"distributed.cli.{program}", *arguments, "--no-dashboard"]
        with open(self.place / f"{program}-{len(self.processes)}.log", "w") as log:
            process = subprocess.Popen(command, cwd=self.place, stdout=log, stderr=log, start_new_session=True)
        self.processes.append(process)
        return process

    def worker(self, threads):
        place = str(self.place / f"worker-{len(self.processes)}")
        return self.start(
            "dask_worker", self.address, "--nthreads", str(threads), "--nworkers", "1", "--local-directory", place
        )

    def close(self):
        for process in self.processes:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
            process.wait()
