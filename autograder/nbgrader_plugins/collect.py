"""``nbgrader collect``: copy submissions from nbgrader's exchange, with the files beside the notebook and nothing else.

Students own the contents of the exchange's ``inbound``: they may put links to other files, pipes, or folders in somebody else's
name there, and may change them during the copy. So links are not followed, only regular files are copied, and a folder that
cannot be a submission is reported and left in place; the others are collected.
"""

import os
import shutil
import stat
from datetime import datetime
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import traitlets
from nbgrader.api import Gradebook
from nbgrader.exchange.default import ExchangeCollect


class CollectWhole(ExchangeCollect):
    """Collects weights and students' own modules, too; nbgrader ignores the same files in collecting as in releasing."""

    src_records: list[dict[str, Any]]
    not_collected: Any = traitlets.List(help="What is left where it lies.").tag(config=True)

    def _path_to_record(self, path: str) -> dict[str, Any]:
        try:
            return super()._path_to_record(path)
        except (ValueError, OverflowError):  # the name holds no valid time
            name = os.path.basename(path)
            return {"username": name.partition("+")[0], "filename": name, "timestamp": datetime.min}

    def copy_files(self) -> None:
        """Collect the folders that contain submissions."""
        with Gradebook(self.coursedir.db_url, self.coursedir.course_id) as gradebook:
            students = {student.id for student in gradebook.students}
        records = []
        for record in self.src_records:
            if why := self._not_a_hand_in(record, students):
                self.log.error("%s is not collected: %s.", record["filename"], why)
            else:
                records.append(record)
        self.src_records = records
        super().copy_files()

    def _not_a_hand_in(self, record: dict[str, Any], students: set[str]) -> str:
        if record["timestamp"] == datetime.min:
            return "its name does not end with a time"
        status = os.lstat(os.path.join(self.inbound_path, record["filename"]))
        if not stat.S_ISDIR(status.st_mode):
            return "it is a link or a file; expected a folder"
        owner = _name_of(status.st_uid)
        if self.check_owner and owner != record["username"] and owner in students:
            return f"it has the name of {record['username']}, but belongs to the student {owner}"
        return ""

    def do_copy(self, src: str, dest: str, log: Any = None) -> None:
        """Copy the folder ``src`` of a submission to ``dest``."""
        name, directory = os.path.basename(src), self.coursedir
        try:
            omitted = _copy_folder(
                src, Path(dest), self.not_collected, 1000 * directory.max_file_size, 1000 * directory.max_dir_size
            )
        except (OSError, RuntimeError) as error:
            # Too many bytes, or folders nested too deeply: the others are collected.
            shutil.rmtree(dest, ignore_errors=True)
            self.log.error("%s is not collected: %s", name, error)
            return
        for path in omitted:
            self.log.error(
                "%s in %s is not collected: it is not a regular file or folder, or is too large.", path, name
            )
        if self.coursedir.groupshared:
            for folder, _, names in os.walk(dest):
                os.chmod(folder, os.stat(folder).st_mode | 0o2770)
                for name in names:
                    os.chmod(Path(folder, name), os.stat(Path(folder, name)).st_mode | 0o660)


def _name_of(user: int) -> str:
    import pwd  # missing on Windows, where nbgrader has no exchange but reads this configuration

    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return "unknown id"


def _copy_folder(src: str, dest: Path, ignored: list[str], largest: int, most: int) -> list[str]:
    """Copy a folder's regular files, even if it changes meanwhile, and return the names of the omitted files.

    Files of more than ``largest`` bytes are omitted, too. Raises RuntimeError for more than ``most`` bytes in total.
    """
    omitted, total = [], 0
    for folder, folders, names, folder_descriptor in os.fwalk(src, follow_symlinks=False):
        place = dest / os.path.relpath(folder, src)
        place.mkdir(parents=True, exist_ok=True)
        folders[:] = [name for name in folders if not _matches(name, ignored)]
        links = [name for name in folders if stat.S_ISLNK(os.lstat(name, dir_fd=folder_descriptor).st_mode)]
        for name in (*links, *names):
            if _matches(name, ignored):
                continue
            try:
                file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder_descriptor)
            except OSError:
                omitted.append(os.path.relpath(os.path.join(folder, name), src))
                continue
            with open(file, "rb") as source:
                status = os.fstat(file)
                if not stat.S_ISREG(status.st_mode) or status.st_size > largest:
                    omitted.append(os.path.relpath(os.path.join(folder, name), src))
                    continue
                total += status.st_size
                if total > most:
                    raise RuntimeError(f"{src} holds more than {most} bytes, the course's max_dir_size.")
                with open(place / name, "wb") as target:
                    shutil.copyfileobj(source, target)
                os.utime(place / name, ns=(status.st_atime_ns, status.st_mtime_ns))
    return omitted


def _matches(name: str, patterns: list[str]) -> bool:
    return any(fnmatch(name, pattern) for pattern in patterns)
