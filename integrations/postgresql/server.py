#!/usr/bin/env python3
"""Runs a command beside a PostgreSQL server of its own: `server.py COMMAND...`.

The server has a socket and no port. The variables of libpq point to it. It ends with the command, and leaves nothing.
"""

import contextlib
import glob
import os
import pwd
import shutil
import subprocess
import sys
import tempfile


def as_server(*command):
    """Returns the command as a user whom PostgreSQL accepts: it does not run as root."""
    return ("runuser", "-u", "postgres", "--", *command) if os.getuid() == 0 else command


@contextlib.contextmanager
def server():
    """Yields the environment of the server's clients."""
    programs = max(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[-2]))
    # Not in the repository: another user must reach the folder, and the path of a socket has at most 107 bytes.
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        shutil.copy(shutil.which("charpipe"), folder)
        data = f"{folder}/data"
        os.mkdir(data, 0o700)
        if os.getuid() == 0:
            user = pwd.getpwnam("postgres")
            os.chown(data, user.pw_uid, user.pw_gid)
        environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}

        def run(program, *arguments):
            command = as_server(f"{programs}/{program}", "-D", data, *arguments)
            streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
            subprocess.run(command, check=True, cwd="/", env=environment, **streams)

        run("initdb", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
        options = f"-k {folder}/data -c listen_addresses='' -c fsync=off"
        run("pg_ctl", "-w", "-l", f"{data}/log", "-o", options, "start")
        try:
            yield {
                **environment,
                "PGHOST": data,
                "PGUSER": "postgres",
                "PGDATABASE": "postgres",
                "PGCLIENTENCODING": "UTF8",
            }
        finally:
            run("pg_ctl", "-m", "immediate", "stop")


if __name__ == "__main__":
    with server() as environment:
        status = subprocess.run(sys.argv[1:], env=environment).returncode
    sys.exit(status)
