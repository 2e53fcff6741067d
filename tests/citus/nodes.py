"""Three private clusters that are one Citus cluster: a coordinator and two workers."""
import os
import socket
import subprocess

PROJECT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
CLUSTER = os.path.join(PROJECT, "pgrx-config", "cluster")
NAMES = ["coordinator", "first", "second"]
SETTINGS = ["shared_preload_libraries=citus,pg_sdc", "citus.node_conninfo=sslmode=disable", "max_prepared_transactions=100"]


def cluster(*arguments, check=True):
    # a server that goes on running must not keep our pipe open
    done = subprocess.run([CLUSTER, *arguments], capture_output=True, text=True, check=False)
    if check and done.returncode:
        raise RuntimeError(f"{' '.join(arguments)}: {done.stdout}{done.stderr}")
    return done.stdout


def is_installed():
    """Whether the PostgreSQL under test has Citus."""
    command = ["bash", "-c", 'set -e; . "$0/pgrx-config/env"; [ -x "$private_pg_config" ] && "$private_pg_config" --sharedir', PROJECT]
    sharedir = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    return bool(sharedir) and os.path.exists(os.path.join(sharedir, "extension", "citus.control"))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Node:
    """A cluster and the way to it. Its port stays the same when it is started again."""

    def __init__(self, name, *settings):
        self.name, self.settings, self.port = name, settings, free_port()
        cluster("remove", name)
        self.start()

    def start(self):
        cluster("start", self.name, f"port={self.port}", *SETTINGS, *self.settings)
        lines = cluster("with", self.name, "env").splitlines()
        wanted = ("PGHOST=", "PGPORT=", "PGUSER=", "PATH=")
        self.environment = dict(os.environ) | dict(line.split("=", 1) for line in lines if line.startswith(wanted))
        self.environment["PGDATABASE"] = "postgres"
        self.host = self.environment["PGHOST"]

    def crash(self):
        cluster("crash", self.name)

    def remove(self):
        cluster("remove", self.name, check=False)

    def psql(self, *statements, options="", check=True, messages=False):
        """What statements print, run in one session; an error's message is an exception. With
        `messages` what the server said meanwhile, instead."""
        arguments = [argument for statement in statements for argument in ("-c", statement)]
        environment = self.environment | {"PGOPTIONS": f"-c client_min_messages=error {options}"}
        command = ["psql", "-XqAt", "-v", "ON_ERROR_STOP=1", *arguments]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if check and done.returncode:
            raise RuntimeError(done.stderr.strip())
        if messages:
            return done.stderr.strip()
        return done.stdout.strip() if done.returncode == 0 else done.stderr.strip()


class Nodes:
    """The coordinator and its workers."""

    def __init__(self, prefix, *settings):
        self.all = []
        try:
            for name in NAMES:
                self.all.append(Node(f"{prefix}_{name}", *settings))
            self.coordinator, *self.workers = self.all
            self.join()
        except Exception:
            self.remove()
            raise

    def join(self):
        for node in self.all:
            node.psql("CREATE EXTENSION citus")
        first = self.coordinator
        first.psql(f"SELECT citus_set_coordinator_host('{first.host}', {first.port})")
        for worker in self.workers:
            first.psql(f"SELECT citus_add_node('{worker.host}', {worker.port})")
        first.psql("CREATE EXTENSION pg_sdc")

    def remove(self):
        for node in self.all:
            node.remove()
