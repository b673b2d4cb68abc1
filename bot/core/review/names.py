"""
Names with a meaning for a review, as tables. Those that block have no honest use in a repair.
"""

from __future__ import annotations

from collections.abc import Mapping

FRAMEWORKS = frozenset(
    {"pytest", "_pytest", "unittest", "unittest2", "pluggy", "nose", "nose2", "jam_reporter"}
)

RUNNERS = (
    "PYTEST_",
    "UNITTEST_",
    "JAM_CHANNEL",
    "JAM_TALKING",
    "/jam/",
    "jam_reporter",
    "NODE_TEST_CONTEXT",
    "JEST_WORKER_ID",
    "VITEST",
    "__unittest_",
    "=== RUN",
    "--- PASS",
    "TAP version 1",
)
"""Texts by which a program tells that it is being tested, or claims that it was."""

HIDDEN = frozenset({"_exit", "_getframe", "settrace", "setprofile", "__code__", "f_back"})
"""Names that nobody spells as text unless they shall not be found."""

FRAMES = frozenset(
    {
        "sys._getframe",
        "sys._getframemodulename",
        "sys._current_frames",
        "sys.settrace",
        "sys.setprofile",
        "sys.gettrace",
        "sys.getprofile",
        "sys.monitoring",
        "sys.addaudithook",
        "threading.settrace",
        "threading.setprofile",
        "inspect.stack",
        "inspect.trace",
        "inspect.currentframe",
        "inspect.getouterframes",
        "inspect.getinnerframes",
        "inspect.getframeinfo",
        "traceback.extract_stack",
        "traceback.walk_stack",
        "traceback.format_stack",
        "traceback.print_stack",
        "gc.get_objects",
        "gc.get_referrers",
    }
)

MARKS = frozenset({"f_back", "f_locals", "f_globals", "f_code", "f_lineno", "tb_frame", "gi_frame"})
"""Attributes of frames."""

MENDED = frozenset(
    {"sys", "os", "warnings", "logging", "signal", "locale", "socket", "ssl", "threading", "json",
     "asyncio", "multiprocessing", "builtins", "decimal", "time", "mimetypes", "readline"}
)  # fmt: skip
"""Of the standard library, what programs change from outside in good faith: streams, settings."""

PATCHES = frozenset({"__code__", "__closure__", "__builtins__", "__bases__", "__subclasshook__"})

IMPORTS: Mapping[str, str] = {
    **dict.fromkeys(
        ("socket", "ssl", "http", "urllib.request", "requests", "httpx", "aiohttp", "ftplib",
         "smtplib", "telnetlib", "xmlrpc", "websockets", "urllib3", "socketserver"),
        "may reach the network",
    ),
    **dict.fromkeys(
        ("subprocess", "multiprocessing", "pty", "concurrent", "signal"),
        "may start or stop processes",
    ),
    **dict.fromkeys(("random", "secrets", "uuid"), "depends on chance"),
    **dict.fromkeys(("ctypes", "cffi", "mmap", "gc"), "reaches below the language"),
    **dict.fromkeys(
        ("importlib", "imp", "runpy", "pkgutil", "zipimport", "linecache", "inspect", "marshal"),
        "loads or reads code at run time",
    ),
    **dict.fromkeys(("atexit", "faulthandler"), "acts when the process ends"),
    **dict.fromkeys(("glob", "shutil", "tempfile", "fileinput"), "works on files"),
}  # fmt: skip

_EXITS = "may end the process"
_CODE = "loads or makes code at run time"
_FILES = "works on files"
_CLOCK = "depends on the clock"

CALLS: Mapping[str, tuple[str, bool]] = {
    "os._exit": ("ends the process at once", True),
    "posix._exit": ("ends the process at once", True),
    **dict.fromkeys(
        ("sys.exit", "exit", "quit", "SystemExit", "os.abort", "os.kill", "os.killpg",
         "signal.raise_signal", "atexit.register", "sys.exitfunc"),
        (_EXITS, False),
    ),
    **dict.fromkeys(("eval", "exec", "compile", "__import__"), (_CODE, False)),
    **dict.fromkeys(("sys.meta_path", "sys.path_hooks", "sys.path"), ("changes imports", False)),
    **dict.fromkeys(("os.environ", "os.getenv", "os.environb"), ("asks the environment", False)),
    **dict.fromkeys(
        ("sys.argv", "sys.orig_argv", "sys.flags", "sys.dont_write_bytecode",
         "sys.pycache_prefix"),
        ("asks how the program was started", False),
    ),
    **dict.fromkeys(
        ("os.cpu_count", "os.process_cpu_count", "os.sched_getaffinity", "os.getuid", "os.geteuid",
         "os.getlogin", "os.uname", "os.getpid", "os.getppid", "platform.node", "platform.uname",
         "socket.gethostname", "getpass.getuser", "pwd.getpwuid"),
        ("asks what machine it runs on", False),
    ),
    "sys.modules": ("asks which modules are loaded", False),
    **dict.fromkeys(
        ("open", "os.listdir", "os.walk", "os.scandir", "os.path.exists", "os.path.isdir",
         "os.path.isfile", "os.getcwd", "os.stat", "os.open", "__file__"),
        (_FILES, False),
    ),
    **dict.fromkeys(
        ("os.system", "os.popen", "os.fork", "os.execv", "os.execve", "os.spawnv",
         "os.posix_spawn"),
        ("may start or stop processes", False),
    ),
    **dict.fromkeys(("os.urandom", "random.random"), ("depends on chance", False)),
    **dict.fromkeys(
        ("time.time", "time.monotonic", "time.localtime", "time.gmtime", "time.time_ns",
         "time.strftime", "datetime.datetime.now", "datetime.datetime.today",
         "datetime.datetime.utcnow", "datetime.date.today"),
        (_CLOCK, False),
    ),
}  # fmt: skip
