"""
git's own smart HTTP, for any client: clone, fetch (``refs/pull/N/head`` too), push. git does the
work; this decides who may, and what follows from a push.
"""

from __future__ import annotations

import re

from bot.minihub import pushes, workflows_rule
from bot.minihub.access import Actor, Needs, admit, identify
from bot.minihub.answers import Answer, Refused
from bot.minihub.bare import NOTHING
from bot.minihub.call import Call, Request
from bot.minihub.hub import Hub
from bot.minihub.records import Repo

ADDRESS = re.compile(r"/([^/]+)/([^/]+?)(?:\.git)?/(info/refs|git-upload-pack|git-receive-pack)")
READ = Needs(("contents:read",), "read")
WRITE = Needs(("contents:write",), "write")
FETCH, PUSH = "git-upload-pack", "git-receive-pack"
ASK = {"WWW-Authenticate": 'Basic realm="GitHub"'}


def serves(path: str) -> bool:
    return ADDRESS.fullmatch(path) is not None


def serve(hub: Hub, request: Request) -> Answer:
    try:
        return _serve(hub, request)
    except Refused as refused:
        answer = refused.answer
        headers = {"Content-Type": "text/plain", **(ASK if answer.status == 401 else {})}
        return Answer(str(refused).encode(), answer.status, headers)


def _serve(hub: Hub, request: Request) -> Answer:
    found = ADDRESS.fullmatch(request.path)
    if found is None:
        raise Refused(404, "Not Found")
    owner, name, door = found.groups()
    service = request.query.get("service", "") if door == "info/refs" else door
    if service not in (FETCH, PUSH):
        raise Refused(403, "Please upgrade your git client.")
    repo, actor = _let_in(hub, request, f"{owner}/{name}", pushes=service == PUSH)
    if door == "info/refs" and name.lower() != repo.name.lower():
        where = hub.links.html(repo, f".git/info/refs?service={service}")
        return Answer(b"", 301, {"Location": where})
    if door == "info/refs":
        return _advertise(repo, service, request)
    if service == FETCH:
        return _talk(repo, service, request)
    return _receive(hub, request, repo, actor)


def _let_in(hub: Hub, request: Request, full_name: str, *, pushes: bool) -> tuple[Repo, Actor]:
    """Somebody unknown is asked for a password before being told that there is nothing."""
    actor = identify(hub.store, request.headers.get("authorization"))
    try:
        repo = hub.store.repo(full_name)
        admit(hub.store, actor, repo, WRITE if pushes else READ)
    except Refused as refused:
        if actor.account is None:
            raise Refused(401, "Authentication required.") from refused
        raise Refused(refused.answer.status, "Write access to repository not granted.") from refused
    return repo, actor


def _environment(service: str, request: Request) -> dict[str, str]:
    version = request.headers.get("git-protocol", "")
    return {"GIT_PROTOCOL": version} if version and service == FETCH else {}


def _advertise(repo: Repo, service: str, request: Request) -> Answer:
    command = service.removeprefix("git-")
    environment = _environment(service, request)
    refs = repo.git.git(command, "--stateless-rpc", "--advertise-refs", ".", env=environment)
    line = f"# service={service}\n".encode()
    # Protocol 2 says which service it is in its own words.
    head = b"" if "version=2" in environment.get("GIT_PROTOCOL", "") else _packet(line) + b"0000"
    return _plain(head + refs, f"application/x-{service}-advertisement")


def _packet(line: bytes) -> bytes:
    return f"{len(line) + 4:04x}".encode() + line


def _plain(content: bytes, media_type: str) -> Answer:
    return Answer(content, headers={"Content-Type": media_type, "Cache-Control": "no-cache"})


def _talk(repo: Repo, service: str, request: Request, *, guards: bool = False) -> Answer:
    env = _environment(service, request) | ({"MINIHUB_GUARDS_WORKFLOWS": "1"} if guards else {})
    command = service.removeprefix("git-")
    # A client that hangs up in the middle of a negotiation makes git exit with 128.
    said = repo.git.git(command, "--stateless-rpc", ".", stdin=request.body, env=env, ok=128)
    return _plain(said, f"application/x-{service}-result")


def _receive(hub: Hub, request: Request, repo: Repo, actor: Actor) -> Answer:
    with hub.store.lock:
        before = repo.git.refs("refs/")
        answer = _talk(repo, PUSH, request, guards=workflows_rule.binds(actor))
        after = repo.git.refs("refs/")
        moves = {
            name: (before.get(name, NOTHING), after.get(name, NOTHING))
            for name in sorted(before.keys() | after.keys())
            if before.get(name) != after.get(name)
        }
        pushes.pushed(Call(hub, request, actor, {}, repo), moves)
        return answer
