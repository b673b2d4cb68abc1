"""From jam's own git to the forge and back: fetched, published, kept, each tree bit for bit."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bot.adapters import lfs, refs, trees
from bot.adapters.git import Git, over_http
from bot.adapters.github import transport
from bot.adapters.github_publisher import GithubPublisher
from bot.adapters.repository import Repository
from bot.core.forge_values import Onto
from bot.core.thread import Repository as Known
from bot.errors import (
    ForgeMissing,
    ForgeRefused,
    ForgeUnavailable,
    GitFailed,
    RefTaken,
    RequestError,
)
from bot.minihub.faults import Fault
from bot.ports import TreeEntry
from tests.ports.forges import HubGround, Small, small_github
from tests.ports.gitmade import everything

BRANCH = "jam/issue-1-x"
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"a" * 64 + b"\nsize 9\n"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Small]:
    with small_github(tmp_path_factory.mktemp("hub")) as one:
        yield one


@pytest.fixture
def ground(small: Small) -> Iterator[HubGround]:
    yield HubGround(small)
    small.hub.hub.faults.clear()


@pytest.fixture
def base(ground: HubGround) -> str:
    return ground.push("main", {".github/workflows/ci.yml": "on: push\n"})


@pytest.fixture
def repository(ground: HubGround, base: str, tmp_path: Path) -> Repository:
    return ground.forge.bring(tmp_path / "bare", [base])


class Workshop:
    """Makes commits in jam's own git, as a session does."""

    def __init__(self, repository: Repository, base: str) -> None:
        self.git = Git(git_dir=repository.git_dir)
        self.base = base

    def commit(
        self,
        put: dict[str, bytes | tuple[str, bytes]],
        *,
        drop: tuple[str, ...] = (),
        parent: str | None = None,
        message: str = "Mend it",
    ) -> str:
        entries = []
        for path, one in put.items():
            mode, content = one if isinstance(one, tuple) else ("100644", one)
            blob = self.git.line("hash-object", "-w", "--stdin", stdin=content)
            entries.append(TreeEntry(path, mode, blob))
        above = parent or self.base
        tree = trees.compose(
            self.git, trees.commit_facts(self.git, above)[0], put=entries, drop=drop
        )
        return trees.commit(self.git, tree, parent=above, message=message, at=1_700_000_000)

    def tree(self, commit: str) -> str:
        return trees.commit_facts(self.git, commit)[0]

    def keep(self, commit: str, number: int) -> None:
        refs.put(self.git, {refs.checkpoint_ref("s1", number): commit})


@pytest.fixture
def shop(repository: Repository, base: str) -> Workshop:
    return Workshop(repository, base)


@pytest.fixture
def publisher(ground: HubGround, shop: Workshop) -> Callable[..., GithubPublisher]:
    def make(**over: object) -> GithubPublisher:
        whole = {"forge": ground.fresh(), "git": shop.git, "base": shop.base}
        return GithubPublisher(**(whole | over))  # type: ignore[arg-type]

    return make


Publishers = Callable[..., GithubPublisher]


class TestFetching:
    def test_a_commit_comes_with_its_history_and_tags(
        self, ground: HubGround, tmp_path: Path
    ) -> None:
        ground.repo.git.set_ref("refs/tags/v1", ground.base)
        head = ground.push("main", {"b.py": "x\n"})
        found = ground.forge.bring(tmp_path / "bare", [head])

        assert found.resolve(head) == head
        assert (found.parent_of(head), found.shallow) == (ground.base, b"")
        assert refs.value(found.references, "refs/tags/v1") == ground.base

    def test_a_forks_pull_request_comes_from_the_repository_itself(
        self, ground: HubGround, tmp_path: Path
    ) -> None:
        reader = ground.person("reader")
        fork = reader.fork(ground.name)
        head = reader.push(fork, "patch", {"b.py": "theirs\n"})
        number = reader.open_pull(ground.name, head="reader:patch", title="x")
        pull = ground.forge.pull(number)
        assert pull is not None
        place = tmp_path / "bare"
        by_ref = ground.forge.bring(place, [f"refs/pull/{number}/head"])
        by_name = ground.forge.bring(place, [pull.base_sha, pull.pull.head_sha])

        assert pull.pull.head_sha == head
        assert pull.pull.is_from_fork_of(Known(id=ground.repo.id, name=ground.name))
        assert (by_ref.resolve(head), by_name.resolve(pull.base_sha)) == (head, ground.base)

    def test_what_is_there_is_not_fetched_again(self, ground: HubGround, tmp_path: Path) -> None:
        place = tmp_path / "bare"
        ground.forge.bring(place, [ground.base])
        ground.hub.plan(Fault(match=f"* /{ground.name}.git/*", kind="reset", times=None))

        assert ground.forge.bring(place, [ground.base]).resolve(ground.base) == ground.base
        with pytest.raises(ForgeUnavailable):
            ground.forge.bring(place, [ground.seed])

    def test_a_private_repository_comes_and_leaves_no_token(
        self, ground: HubGround, tmp_path: Path
    ) -> None:
        ground.repo.private = True
        place = tmp_path / "bare"
        url = ground.forge.repository().clone_url
        with pytest.raises(ForgeRefused):
            transport.bring(place, [ground.base], url=url, secret=None)
        ground.forge.bring(place, [ground.base])
        texts = "".join(map(str, everything(tmp_path).values()))

        assert "Authorization" not in texts
        assert "x-access-token" not in texts

    def test_a_token_that_ended_is_exchanged(self, ground: HubGround, tmp_path: Path) -> None:
        ground.repo.private = True
        ground.forge.bring(tmp_path / "one", [ground.base])
        ground.hub.expire_tokens()

        assert ground.forge.bring(tmp_path / "two", [ground.base]).resolve(ground.base)

    @pytest.mark.parametrize(
        "want", ["main", "--upload-pack=x", "refs/heads/a:b", "refs/heads/*", "HEAD", "refs/../x"]
    )
    def test_only_commits_and_full_names_are_asked_for(
        self, ground: HubGround, tmp_path: Path, want: str
    ) -> None:
        with pytest.raises(ForgeRefused, match="neither"):
            ground.forge.bring(tmp_path / "bare", [want])

    def test_what_is_not_there_is_missing(self, ground: HubGround, tmp_path: Path) -> None:
        with pytest.raises((ForgeMissing, ForgeRefused)):
            ground.forge.bring(tmp_path / "bare", ["refs/pull/77/head"])

    @pytest.mark.parametrize(
        "url", ["file:///etc", "ext::sh -c id", "http://example.org/a.git", "ssh://git@x/a.git"]
    )
    def test_other_ways_stay_closed(self, tmp_path: Path, url: str) -> None:
        with pytest.raises(ForgeRefused, match="not an https address"):
            transport.bring(tmp_path / "bare", ["1" * 40], url=url, secret=None)

    @pytest.mark.parametrize("url", ["file:///", "ext::sh -c 'touch here'", "git://127.0.0.1/x"])
    def test_the_opening_lets_one_protocol_through(self, tmp_path: Path, url: str) -> None:
        git = over_http(Git(cwd=tmp_path), origin="https://example.org", authorization="Basic x")

        with pytest.raises(GitFailed, match="not allowed"):
            git.run("ls-remote", url)
        assert list(tmp_path.iterdir()) == []

    def test_the_header_goes_to_its_own_origin_only(self) -> None:
        git = over_http(Git(), origin="https://example.org", authorization="Basic x")
        asked = {
            url: git.run("config", "--get-urlmatch", "http.extraHeader", url, ok=(0, 1)).decode()
            for url in ("https://example.org/a/b.git", "https://example.org.evil/a", "http://x/")
        }

        assert list(asked.values()) == ["Authorization: Basic x\n", "", ""]
        assert "Basic x" not in str(os.environ)


class TestPublishing:
    def test_commits_arrive_signed_with_their_trees(
        self, ground: HubGround, shop: Workshop, publisher: Publishers
    ) -> None:
        first = shop.commit({"t.py": b"assert 0\n"}, message="test: it fails")
        second = shop.commit(
            {"a.py": b"x = 1\n", "run.sh": ("100755", b"#!/bin/sh\nexit\n")},
            drop=("docs/link",),
            parent=first,
            message="Mend it\n\nJam-Session: s1\n",
        )
        by = publisher()
        name = by.publish(BRANCH, second)
        head = ground.repo.git.facts(by.pushed[name].commit)
        below = ground.repo.git.facts(head.parents[0])

        assert name == BRANCH
        assert (head.tree, below.tree) == (shop.tree(second), shop.tree(first))
        assert below.parents == (shop.base,)
        assert (head.message, below.message) == ("Mend it\n\nJam-Session: s1\n", "test: it fails")
        assert {head.sha, below.sha} <= ground.repo.signed
        assert head.author.name == "jam[bot]"

    def test_publishing_again_changes_nothing(
        self, ground: HubGround, shop: Workshop, publisher: Publishers
    ) -> None:
        commit = shop.commit({"a.py": b"x = 1\n"})
        first, second = publisher(), publisher()
        names = [first.publish(BRANCH, commit), second.publish(BRANCH, commit)]

        assert names == [BRANCH, BRANCH]
        assert first.pushed == second.pushed
        assert list(ground.hub.refs(ground.name, "refs/heads/jam/")) == [f"refs/heads/{BRANCH}"]

    def test_a_taken_name_is_left_alone(
        self, ground: HubGround, shop: Workshop, publisher: Publishers
    ) -> None:
        theirs = ground.push(BRANCH, {"b.py": "by hand\n"})
        commit = shop.commit({"a.py": b"x = 1\n"})
        with pytest.raises(RefTaken):
            publisher(fixed=True).publish(BRANCH, commit)

        assert publisher().publish(BRANCH, commit) == f"{BRANCH}-2"
        assert ground.forge.ref(f"refs/heads/{BRANCH}") == theirs

    def test_jams_own_branch_is_taken_up_where_it_is(
        self, ground: HubGround, shop: Workshop, publisher: Publishers, tmp_path: Path
    ) -> None:
        by = publisher()
        by.publish(BRANCH, shop.commit({"a.py": b"x = 1\n"}))
        began = by.pushed[BRANCH].commit
        again = Workshop(ground.forge.bring(tmp_path / "bare", [began]), began)
        change = again.commit({"a.py": b"x = 2\n"})
        on = publisher(git=again.git, base=began, onto=Onto.FORWARD, fixed=True)

        assert on.publish(BRANCH, change) == BRANCH
        assert ground.repo.git.facts(on.pushed[BRANCH].commit).parents == (began,)

    def test_a_person_who_pushes_meanwhile_wins(
        self, ground: HubGround, shop: Workshop, publisher: Publishers, tmp_path: Path
    ) -> None:
        by = publisher()
        by.publish(BRANCH, shop.commit({"a.py": b"x = 1\n"}))
        began = by.pushed[BRANCH].commit
        theirs = ground.push(BRANCH, {"c.py": "by hand\n"})
        again = Workshop(ground.forge.bring(tmp_path / "bare", [began]), began)
        on = publisher(git=again.git, base=began, onto=Onto.FORWARD, fixed=True)
        with pytest.raises(RefTaken):
            on.publish(BRANCH, again.commit({"a.py": b"x = 2\n"}))

        assert ground.forge.ref(f"refs/heads/{BRANCH}") == theirs

    def test_workflow_files_are_refused_before_anything_is_written(
        self, ground: HubGround, shop: Workshop, publisher: Publishers
    ) -> None:
        before = ground.hub.hub.recorder.exchanges[:]
        commit = shop.commit({"a.py": b"x\n", ".github/workflows/ci.yml": b"on: pull_request\n"})
        with pytest.raises(ForgeRefused, match=r"ci\.yml would be changed"):
            publisher().publish(BRANCH, commit)
        new = ground.hub.hub.recorder.exchanges[len(before) :]

        assert [one.path for one in new if one.method != "GET" and "/git/" in one.path] == []

    def test_large_files_stay_pointers(
        self, ground: HubGround, shop: Workshop, publisher: Publishers
    ) -> None:
        rules = {".gitattributes": b"*.bin filter=lfs diff=lfs merge=lfs -text\n"}
        start = shop.commit(rules | {"a.bin": POINTER})
        assert publisher().publish(BRANCH, start) == BRANCH
        with pytest.raises(ForgeRefused, match=r"a\.bin is kept in Git LFS"):
            publisher().publish(BRANCH, shop.commit({"a.bin": b"it\0self"}, parent=start))

        assert lfs.stored(shop.git, shop.tree(start), ["a.bin", "a.py"]) == ("a.bin",)

    def test_a_history_with_a_fork_in_it_is_not_published(
        self, shop: Workshop, publisher: Publishers
    ) -> None:
        one = shop.commit({"a.py": b"1\n"})
        with pytest.raises(RequestError, match="does not follow"):
            publisher(base=one).publish(BRANCH, shop.commit({"a.py": b"2\n"}))


class TestKeeping:
    def test_checkpoints_are_references_one_on_the_other(
        self, ground: HubGround, shop: Workshop, publisher: Publishers
    ) -> None:
        one = shop.commit({"a.py": b"1\n"}, message="Checkpoint 1\n")
        two = shop.commit({"b.py": b"2\n"}, parent=one, message="Checkpoint 2\n")
        shop.keep(one, 1)
        shop.keep(two, 2)
        for _ in range(2):
            publisher().keep("s1")
        kept = ground.forge.refs("refs/jam/checkpoints/s1/")
        facts = [ground.repo.git.facts(ref.commit) for ref in kept]

        assert [ref.name for ref in kept] == [f"refs/jam/checkpoints/s1/{n}" for n in (1, 2)]
        assert [each.tree for each in facts] == [shop.tree(one), shop.tree(two)]
        assert [each.parents for each in facts] == [(shop.base,), (facts[0].sha,)]

    def test_what_may_not_leave_stays_and_is_named(
        self, ground: HubGround, shop: Workshop, publisher: Publishers
    ) -> None:
        mixed = shop.commit(
            {
                "a.py": b"1\n",
                ".env": b"KEY=canary\n",
                ".github/workflows/ci.yml": b"on: pull_request\n",
                ".github/workflows/new.yml": b"on: push\n",
            },
            message="Checkpoint 1\n",
        )
        shop.keep(mixed, 1)
        publisher(withheld=lambda _, content: b"canary" in content).keep("s1")
        commit = ground.forge.ref("refs/jam/checkpoints/s1/1")
        assert commit is not None
        files = ground.files(commit)

        assert files["a.py"] == ("100644", b"1\n")
        assert files[".github/workflows/ci.yml"] == ("100644", b"on: push\n")
        assert {".env", ".github/workflows/new.yml"} & files.keys() == set()
        assert ground.repo.git.facts(commit).message == (
            "Checkpoint 1\n\nLeft-Out: '.env'\nLeft-Out: '.github/workflows/ci.yml'\n"
            "Left-Out: '.github/workflows/new.yml'"
        )

    def test_a_checkpoint_of_nothing_but_that_is_still_one(
        self, ground: HubGround, shop: Workshop, publisher: Publishers
    ) -> None:
        shop.keep(shop.commit({".github/workflows/new.yml": b"on: push\n"}), 1)
        publisher().keep("s1")
        commit = ground.forge.ref("refs/jam/checkpoints/s1/1")
        assert commit is not None

        assert ground.files(commit) == ground.files(shop.base)
