"""Processes that are measured, and the machine that they are measured on."""
import contextlib
import json
import os
import platform
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

CORES = len(os.sched_getaffinity(0))
LONGEST = 900  # seconds: a contender that takes longer hangs


class Machine:
    """Runs commands, and watches whether the machine is theirs meanwhile."""

    def __init__(self):
        self.others, self.held_up = [], 0

    def run(self, command, threads=None):
        """Its JSON and the wall time. `threads`: it may use so many cores, whether it asks for them or not."""
        command = list(map(str, command))
        while True:
            out, seconds, held_up = self.once(command, sorted(os.sched_getaffinity(0))[:threads])
            if not held_up:
                return json.loads(out.splitlines()[-1]), seconds
            self.once_more()

    def once_more(self):
        self.held_up += 1
        say("the run was stopped for a while: once more")
        if self.held_up > 50:
            sys.exit("runs are stopped too often here to measure anything")

    def once(self, command, cores):
        """Its output, the wall time, and whether it, or this process, which only waits, was stopped meanwhile."""
        busy, own, start = self.busy(), self.own(), time.perf_counter()
        allow = lambda: os.sched_setaffinity(0, cores)
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=allow)
        held_up, seen = False, start
        while True:
            try:
                out, errors = child.communicate(timeout=0.1)
                break
            except subprocess.TimeoutExpired:
                now = time.perf_counter()
                held_up, seen = held_up or now - seen > 1 or self.stopped(child.pid), now
                if now - start > LONGEST:
                    child.kill()
                    raise Failed(f"{' '.join(command)}\nno end after {LONGEST} seconds")
        seconds = time.perf_counter() - start
        if child.returncode != 0:
            raise Failed(f"{' '.join(command)}\n{errors.strip()}")
        if busy is not None and not held_up:
            others = (self.busy() - busy) - (self.own() - own)
            self.others.append(max(0.0, others) / (seconds * os.cpu_count()))
        return out, seconds, held_up

    @staticmethod
    def stopped(process):
        try:
            return open(f"/proc/{process}/stat").read().rpartition(")")[2].split()[0] in "Tt"
        except OSError:
            return False

    @staticmethod
    def busy():
        """Seconds that all cores were busy, or taken away by the host; none where the system does not tell."""
        try:
            user, nice, system, _, _, irq, softirq, steal = map(int, open("/proc/stat").readline().split()[1:9])
        except OSError:
            return None
        return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")

    @staticmethod
    def own():
        both = [resource.getrusage(who) for who in (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF)]
        return sum(usage.ru_utime + usage.ru_stime for usage in both)

    def turn(self, contender):
        """What a contender measures, alone on the machine."""
        while True:
            busy, own, start = self.busy(), contender.cpu_seconds(), time.perf_counter()
            result, seconds = contender.turn(), time.perf_counter() - start
            if seconds < 3 * contender.seconds + 5:
                break
            self.once_more()
        if busy is not None:
            others = (self.busy() - busy) - (contender.cpu_seconds() - own)
            self.others.append(max(0.0, others) / (seconds * os.cpu_count()))
        return result

    def describe(self):
        model = platform.processor() or platform.machine()
        try:
            lines = open("/proc/cpuinfo").read().splitlines()
            model = next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
        except (OSError, StopIteration):
            pass
        rustc = subprocess.run(["rustc", "--version"], capture_output=True, text=True).stdout.strip()
        about = {"cpu": model, "cores": CORES, "system": platform.system(), "rustc": rustc}
        about |= {"python": platform.python_version(), "runs_repeated": self.held_up}
        if self.others:
            about["taken_by_others"] = {"median": statistics.median(self.others), "max": max(self.others)}
        return about


class Failed(Exception):
    """A process ended with an error."""

    contender = None  # its name, if it was one


class Contender:
    """A process that measures when it is asked to, and is stopped otherwise: its threads take nothing from others."""

    def __init__(self, name, command, args):
        self.name, self.command = name, [*map(str, command), "turns", "--threads", str(args.threads)]
        self.command += ["--seconds", str(args.seconds), "--warmup", str(args.warmup)]
        self.seconds, self.errors = args.seconds, tempfile.TemporaryFile("w+")
        cores = sorted(os.sched_getaffinity(0))[: args.threads]
        allow = lambda: os.sched_setaffinity(0, cores)
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": self.errors}
        self.child = subprocess.Popen(self.command, text=True, bufsize=1, preexec_fn=allow, **pipes)
        try:
            self.read("ready")
            self.child.send_signal(signal.SIGSTOP)
        except BaseException:
            self.end()
            raise

    def turn(self):
        self.child.send_signal(signal.SIGCONT)
        with contextlib.suppress(BrokenPipeError):  # it has ended: read says why
            self.child.stdin.write("go\n")
        result = json.loads(self.read("{"))
        self.child.send_signal(signal.SIGSTOP)
        return result

    def read(self, start):
        """The next line that begins so."""
        hangs = threading.Timer(LONGEST, self.child.kill)
        hangs.start()
        try:
            for line in self.child.stdout:
                if line.startswith(start):
                    return line
        finally:
            hangs.cancel()
        self.errors.seek(0)
        error = Failed(f"{' '.join(self.command)}\n{self.errors.read().strip() or 'ended without a result'}")
        error.contender = self.name
        raise error

    def cpu_seconds(self):
        try:
            words = open(f"/proc/{self.child.pid}/stat").read().rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")

    def end(self):
        self.child.kill()
        self.child.communicate()


def say(*words):
    print(*words, file=sys.stderr, flush=True)


def last_line(text):
    return (text.strip().splitlines() or ["no message"])[-1]
