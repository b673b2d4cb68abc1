"""Git data by PyGithub, and the real git over HTTP."""

from __future__ import annotations

import base64
from pathlib import Path

import github
import pytest

from bot.minihub.minihub import AppKey, Minihub
from tests.minihub.hubs import as_app, as_installation, as_person, git, remote, rest

DATED = github.InputGitAuthor("Ada", "ada@example.org", "2026-11-30T12:00:00Z")


def commit(repo: github.Repository.Repository, base: str, **files: str | None) -> str:
    """By blobs, a tree and a commit, as jam publishes."""
    elements = [
        github.InputGitTreeElement(
            name.replace("__", "/"),
            "100755",
            "blob",
            sha=None if text is None else repo.create_git_blob(text, "utf-8").sha,
        )
        for name, text in files.items()
    ]
    tree = repo.create_git_tree(elements, repo.get_git_tree(base))
    return repo.create_git_commit("Change", tree, [repo.get_git_commit(base)]).sha


def test_a_change_is_published_by_the_git_data_api(hub: Minihub, app: AppKey, lib: str) -> None:
    repo = as_installation(hub, app, lib).get_repo(lib)
    base = repo.get_branch("main").commit.sha
    sha = commit(repo, base, lib__a="new", **{"README.md": None})
    ref = repo.create_git_ref("refs/heads/jam/x", sha)
    read = repo.get_git_commit(sha)

    assert (ref.object.sha, read.parents[0].sha) == (sha, base)
    assert read.raw_data["verification"]["verified"] is True
    assert (read.author.name, read.author.email) == (
        "jam[bot]",
        f"{app.app.bot.id}+jam[bot]@users.noreply.github.com",
    )
    assert {(each.path, each.mode) for each in repo.get_git_tree(sha, recursive=True).tree} == {
        ("lib", "040000"),
        ("lib/a", "100755"),
        ("lib/a.py", "100644"),
    }
    assert repo.get_contents("lib/a", ref="jam/x").decoded_content == b"new"
    assert [each.path for each in repo.get_contents("lib", ref=sha)] == ["lib/a", "lib/a.py"]
    assert [each.path for each in repo.get_contents("", ref=sha)] == ["lib"]
    blob = repo.get_git_blob(repo.get_contents("lib/a", ref=sha).sha)
    assert base64.b64decode(blob.content) == b"new"


def test_the_same_objects_have_gits_own_shas(hub: Minihub, lib: str, tmp_path: Path) -> None:
    repo = as_person(hub, "ada").get_repo(lib)
    base = repo.get_branch("main").commit.sha
    tree = repo.get_git_commit(base).tree
    sha = repo.create_git_commit("Same\n", tree, [repo.get_git_commit(base)], DATED, DATED).sha
    git("clone", "-q", remote(hub, lib, hub.person("ada").token), "c", cwd=tmp_path)
    dated = {"GIT_AUTHOR_DATE": "1796040000 +0000", "GIT_COMMITTER_DATE": "1796040000 +0000"}
    ran = git(*("commit-tree", "-p", base, "-m", "Same", tree.sha), cwd=tmp_path / "c", env=dated)

    assert ran.stdout.strip() == sha


def test_whole_folders_are_set_and_taken_away(hub: Minihub, lib: str) -> None:
    repo = as_person(hub, "ada").get_repo(lib)
    base = repo.get_git_tree(repo.get_branch("main").commit.sha)
    folder = next(each for each in base.tree if each.type == "tree")
    moved = repo.create_git_tree(
        [
            github.InputGitTreeElement("copy", "040000", "tree", sha=folder.sha),
            github.InputGitTreeElement("lib", "040000", "tree", sha=None),
        ],
        base,
    )

    names = [each.path for each in repo.get_git_tree(moved.sha, recursive=True).tree]
    assert names == ["README.md", "copy", "copy/a.py"]


def test_a_ref_moves_forward_only(hub: Minihub, app: AppKey, lib: str) -> None:
    repo = as_installation(hub, app, lib).get_repo(lib)
    base = repo.get_branch("main").commit.sha
    one, other = commit(repo, base, a="1"), commit(repo, base, a="2")
    ref = repo.create_git_ref("refs/heads/jam/x", base)
    ref.edit(one)

    with pytest.raises(github.GithubException) as refused:
        ref.edit(other)
    assert (refused.value.status, refused.value.data["message"]) == (
        422,
        "Update is not a fast forward",
    )
    ref.edit(other, force=True)
    assert repo.get_git_ref("heads/jam/x").object.sha == other
    ref.delete()
    with pytest.raises(github.UnknownObjectException):
        repo.get_git_ref("heads/jam/x")


REFUSED_REFS = {
    "it is there": ("refs/heads/main", "Reference already exists"),
    "no such object": ("refs/heads/new", "Object does not exist"),
    "a folder is there": ("refs/heads/main/x", "Reference cannot be created"),
    "not a ref": ("heads", "heads is not a valid ref name."),
    "two dots": ("refs/heads/a..b", "refs/heads/a..b is not a valid ref name."),
    "the hub's own": ("refs/pull/1/head", "Reference update failed: refs/pull is read-only"),
}


@pytest.mark.parametrize(("name", "said"), REFUSED_REFS.values(), ids=REFUSED_REFS)
def test_a_ref_that_cannot_be_made_is_refused(hub: Minihub, lib: str, name: str, said: str) -> None:
    repo = as_person(hub, "ada").get_repo(lib)
    sha = "0" * 39 + "1" if said.startswith("Object") else repo.get_branch("main").commit.sha

    with pytest.raises(github.GithubException) as refused:
        repo.create_git_ref(name, sha)
    assert (refused.value.status, refused.value.data["message"]) == (422, said)


def test_any_ref_below_refs_is_kept_and_told_to_nobody(hub: Minihub, app: AppKey, lib: str) -> None:
    repo = as_installation(hub, app, lib).get_repo(lib)
    sha = repo.get_branch("main").commit.sha
    heard = len(hub.hub.recorder.webhooks)
    repo.create_git_ref("refs/jam/checkpoints/s1/1", sha)
    repo.create_git_ref("refs/jam/checkpoints/s1/2", sha)

    found = [each.ref for each in repo.get_git_matching_refs("jam/checkpoints/s1")]
    assert found == ["refs/jam/checkpoints/s1/1", "refs/jam/checkpoints/s1/2"]
    assert len(hub.hub.recorder.webhooks) == heard


@pytest.mark.parametrize("door", ["api", "git"])
def test_an_app_without_workflows_permission_cannot_write_one(
    hub: Minihub, app: AppKey, lib: str, tmp_path: Path, door: str
) -> None:
    said = "refusing to allow a GitHub App to create or update workflow `.github/workflows/x.yml`"
    installation = as_app(hub, app).get_repo_installation("ada", "lib")
    if door == "api":
        repo = installation.get_github_for_installation().get_repo(lib)
        base = repo.get_branch("main").commit.sha
        sha = commit(repo, base, **{".github__workflows__x.yml": "on: push"})
        with pytest.raises(github.GithubException, match=said):
            repo.create_git_ref("refs/heads/jam/x", sha)
    else:
        token = as_app(hub, app).get_access_token(installation.id).token
        git("clone", "-q", remote(hub, lib, token), "c", cwd=tmp_path)
        path = tmp_path / "c/.github/workflows/x.yml"
        path.parent.mkdir(parents=True)
        path.write_text("on: push")
        git("add", ".", cwd=tmp_path / "c")
        git("commit", "-qm", "Workflow", cwd=tmp_path / "c")
        pushed = git("push", "origin", "HEAD:refs/heads/jam/x", cwd=tmp_path / "c")
        assert (pushed.returncode, said in pushed.stderr) == (1, True)
    assert list(hub.refs(lib, "refs/heads/jam")) == []


def test_a_person_clones_pushes_and_is_told(
    hub: Minihub, app: AppKey, lib: str, tmp_path: Path
) -> None:
    url = remote(hub, lib, hub.person("ben").token)
    assert git("clone", "-q", url, "c", cwd=tmp_path).stderr == ""
    clone = tmp_path / "c"
    (clone / "new").write_text("x")
    git("add", ".", cwd=clone)
    git("commit", "-qm", "New", cwd=clone)
    pushed = git("push", "-q", "origin", "HEAD:main", "HEAD:refs/jam/checkpoints/s/1", cwd=clone)
    sha = git("rev-parse", "HEAD", cwd=clone).stdout.strip()

    assert (pushed.returncode, pushed.stderr) == (0, "")
    assert hub.refs(lib) == {"refs/heads/main": sha, "refs/jam/checkpoints/s/1": sha}
    assert [each.event for each in hub.hub.recorder.webhooks[1:]] == ["push", "check_suite"]
    assert git("fetch", "-q", "origin", "+refs/jam/*:refs/jam/*", cwd=clone).returncode == 0


def test_a_pull_requests_head_and_merge_are_fetched(hub: Minihub, lib: str, tmp_path: Path) -> None:
    eve = hub.person("eve")
    fork = eve.fork(lib)
    head = eve.push(fork, "mend", {"lib/a.py": "def f():\n    return 2\n"})
    number = eve.open_pull(lib, head="eve:mend", title="Mend")
    git("init", "-q", "c", cwd=tmp_path)
    refs = [f"refs/pull/{number}/{side}:refs/{side}" for side in ("head", "merge")]
    fetched = git("fetch", "-q", f"{hub.url}/{lib}.git", *refs, cwd=tmp_path / "c")
    main = hub.refs(lib)["refs/heads/main"]

    shas = git("rev-parse", "refs/head", "refs/merge^1", "refs/merge^2", cwd=tmp_path / "c")
    assert (fetched.returncode, shas.stdout.split()) == (0, [head, main, head])
    refused = git(
        *("push", remote(hub, lib, hub.person("ada").token), f"{head}:refs/pull/{number}/head"),
        cwd=tmp_path / "c",
    )
    assert refused.returncode == 1


@pytest.mark.parametrize("who", ["nobody", "eve", "wrong"])
def test_pushing_needs_a_writer(hub: Minihub, lib: str, tmp_path: Path, who: str) -> None:
    token = {"eve": hub.person("eve").token, "wrong": "ghp_x", "nobody": ""}[who]
    git("clone", "-q", f"{hub.url}/{lib}.git", "c", cwd=tmp_path)
    url = remote(hub, lib, token) if token else f"{hub.url}/{lib}.git"
    pushed = git("push", url, "HEAD:refs/heads/new", cwd=tmp_path / "c")

    assert pushed.returncode == 128
    assert list(hub.refs(lib)) == ["refs/heads/main"]


def test_a_shallow_clone_is_deepened(hub: Minihub, lib: str, tmp_path: Path) -> None:
    for place in range(3):
        hub.person("ada").push(lib, "main", {"n": str(place)})
    url = f"{hub.url}/{lib}.git"
    git("clone", "-q", "--depth=1", url, "c", cwd=tmp_path)
    count = ("rev-list", "--count", "HEAD")
    before = git(*count, cwd=tmp_path / "c").stdout
    git("fetch", "-q", "--deepen=2", cwd=tmp_path / "c")

    assert (before, git(*count, cwd=tmp_path / "c").stdout) == ("1\n", "3\n")


def test_comparison_and_commits(hub: Minihub, lib: str) -> None:
    ada = hub.person("ada")
    ada.push(lib, "side", {"README.md": None, "docs/guide.md": "# lib\n", "b": b"\0\1"})
    ada.push(lib, "main", {"lib/a.py": "x = 1\n"})
    repo = as_person(hub, "ben").get_repo(lib)
    compared = repo.compare("main", "side")

    assert (compared.status, compared.ahead_by, compared.behind_by) == ("diverged", 1, 1)
    assert {(each.filename, each.status, each.previous_filename) for each in compared.files} == {
        ("b", "added", None),
        ("docs/guide.md", "renamed", "README.md"),
    }
    last = repo.get_commit("main")
    assert [(each.filename, each.additions, each.deletions) for each in last.files] == [
        ("lib/a.py", 1, 2)
    ]
    assert last.author.login == "ada"
    assert [each.commit.message for each in repo.get_commits(sha="main", path="lib/a.py")] == [
        "Change",
        "Begin",
    ]
    assert [each.name for each in repo.get_branches()] == ["main", "side"]
    with pytest.raises(github.UnknownObjectException):
        repo.compare("main", "nowhere")
    with pytest.raises(github.UnknownObjectException):
        repo.get_contents("nothing", ref="main")


def test_an_unusual_path_survives(hub: Minihub, lib: str) -> None:
    path = "d é/a?b#c%20.txt"
    hub.person("ada").push(lib, "main", {path: "x"})

    quoted = "d%20%C3%A9/a%3Fb%23c%2520.txt"
    answer = rest(hub, "GET", f"/repos/{lib}/contents/{quoted}?ref=main")
    assert (answer.status_code, answer.json()["path"]) == (200, path)
    assert hub.file(lib, "main", path) == b"x"


HOSTILE_PATHS = ["../x", ".git/config", "/abs", "a/../b", ".GIT/x", "a//b"]


@pytest.mark.parametrize("path", HOSTILE_PATHS)
def test_a_tree_holds_no_path_that_leads_out(hub: Minihub, lib: str, path: str) -> None:
    fields = {"tree": [{"path": path, "mode": "100644", "type": "blob", "content": "x"}]}
    answer = rest(hub, "POST", f"/repos/{lib}/git/trees", hub.person("ada").token, json=fields)

    assert answer.status_code == 422


def test_a_name_cannot_end_a_commits_header(hub: Minihub, lib: str) -> None:
    repo = as_person(hub, "ada").get_repo(lib)
    base = repo.get_git_commit(repo.get_branch("main").commit.sha)
    author = github.InputGitAuthor("A\nparent x <b>", "a>@example.org", "2026-11-30T12:00:00Z")
    made = repo.create_git_commit("m", base.tree, [base], author, author)

    assert (made.author.name, [each.sha for each in made.parents]) == ("Aparent x b", [base.sha])


def test_a_packed_repository_is_the_same_one(hub: Minihub, lib: str) -> None:
    """Objects and refs that are no longer loose are found, read and moved as before."""
    ada, store = hub.person("ada"), hub.hub.store.repo(lib)
    before = hub.refs(lib)
    store.git.git("gc", "-q")
    store.git.git("pack-refs", "--all")
    loose = list((store.git.path / "refs/heads").iterdir())
    sha = ada.push(lib, "main", {"new": "x"})

    assert (loose, before.keys()) == ([], hub.refs(lib).keys())
    assert hub.refs(lib) == {"refs/heads/main": sha}
    assert hub.file(lib, "main", "README.md") == b"# lib\n"
    read = rest(hub, "GET", f"/repos/{lib}/commits/{before['refs/heads/main']}", ada.token)
    assert read.json()["commit"]["message"] == "Begin"
    assert rest(hub, "GET", f"/repos/{lib}/commits/{'0' * 40}", ada.token).status_code == 422


def test_a_tag_is_peeled_and_a_short_sha_found(hub: Minihub, lib: str) -> None:
    git_of, sha = hub.hub.store.repo(lib).git, hub.refs(lib)["refs/heads/main"]
    git_of.git("tag", "-a", "-m", "One", "v1", sha)
    repo = as_person(hub, "ada").get_repo(lib)

    assert [repo.get_commit(name).sha for name in ("v1", "refs/tags/v1", sha[:7])] == [sha] * 3
    assert repo.get_git_ref("tags/v1").object.type == "tag"


def test_raw_bytes_are_given_when_asked_for(hub: Minihub, lib: str) -> None:
    raw = {"Accept": "application/vnd.github.raw+json"}
    sha = as_person(hub, "ada").get_repo(lib).get_contents("README.md").sha
    paths = (f"/repos/{lib}/contents/README.md", f"/repos/{lib}/git/blobs/{sha}")
    named = {"Accept": "application/vnd.github.sha"}

    assert [rest(hub, "GET", path, headers=raw).content for path in paths] == [b"# lib\n"] * 2
    commit = rest(hub, "GET", f"/repos/{lib}/commits/main", headers=named)
    assert commit.text == hub.refs(lib)["refs/heads/main"]


def test_a_link_is_told_as_one(hub: Minihub, lib: str) -> None:
    fields = {"path": "link", "mode": "120000", "type": "blob", "content": "README.md"}
    ada, main = hub.person("ada"), hub.refs(lib)["refs/heads/main"]
    tree = ada.call("POST", f"/repos/{lib}/git/trees", base_tree=main, tree=[fields])["sha"]
    commit = ada.call(
        "POST", f"/repos/{lib}/git/commits", message="Link", tree=tree, parents=[main]
    )["sha"]
    said = rest(hub, "GET", f"/repos/{lib}/contents/link?ref={commit}", ada.token).json()

    assert (said["type"], said["target"]) == ("symlink", "README.md")


def test_the_default_branch_stays(hub: Minihub, lib: str) -> None:
    at, ada = f"/repos/{lib}/git/refs", hub.person("ada").token
    gone = rest(hub, "DELETE", f"{at}/heads/main", ada)
    missing = rest(hub, "DELETE", f"{at}/heads/none", ada)
    moved = rest(hub, "PATCH", f"{at}/heads/none", ada, json={"sha": "0" * 40})

    assert [each.status_code for each in (gone, missing, moved)] == [422, 422, 422]
    assert list(hub.refs(lib)) == ["refs/heads/main"]


BAD_OBJECTS = {
    "a tree that is not there": ("trees", {"base_tree": "0" * 40, "tree": []}),
    "no tree": ("trees", {}),
    "a mode": ("trees", {"tree": [{"path": "a", "mode": "777", "content": ""}]}),
    "a blob that is not there": (
        "trees",
        {"tree": [{"path": "a", "mode": "100644", "type": "blob", "sha": "0" * 40}]},
    ),
    "no base64": ("blobs", {"content": "\N{CROCODILE}", "encoding": "base64"}),
    "a commit of nothing": ("commits", {"message": "m", "tree": "0" * 40}),
    "a commit without a message": ("commits", {"tree": "0" * 40}),
}


@pytest.mark.parametrize(("kind", "fields"), BAD_OBJECTS.values(), ids=BAD_OBJECTS)
def test_an_object_that_cannot_be_is_refused(
    hub: Minihub, lib: str, kind: str, fields: dict[str, object]
) -> None:
    answer = rest(hub, "POST", f"/repos/{lib}/git/{kind}", hub.person("ada").token, json=fields)

    assert answer.status_code == 422


def test_git_follows_a_rename(hub: Minihub, lib: str, tmp_path: Path) -> None:
    hub.person("ada").rename(lib, "library")

    assert git("clone", "-q", f"{hub.url}/{lib}.git", "c", cwd=tmp_path).returncode == 0
    assert (tmp_path / "c/README.md").read_text() == "# lib\n"
