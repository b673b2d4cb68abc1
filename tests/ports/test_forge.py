"""The port ``Forge``: one suite over the fake and over the real adapter on a small GitHub."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from bot.adapters import memory_git
from bot.core import markers
from bot.core.annotations import Annotation
from bot.core.check_text import Button, CheckText, Status
from bot.core.forge_values import (
    Check,
    FilePut,
    Log,
    NewCommit,
    NewIssue,
    NewPull,
    OfComment,
    OfCommit,
    OfRun,
    OfThread,
    Onto,
    RefFacts,
)
from bot.core.permission import Permission
from bot.core.reactions import Reaction
from bot.core.thread import NOBODY
from bot.errors import ForgeMissing, ForgeRefused, RefTaken
from tests.ports.forges import FILES, Ground, HubGround, MemoryGround, Small, file, small_github

MARK = markers.status(7, 1)
CONTRACT = ".github/jam.yml"


@pytest.fixture(scope="module")
def github(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Small]:
    with small_github(tmp_path_factory.mktemp("hub")) as small:
        yield small


@pytest.fixture(params=["memory", "github"])
def ground(request: pytest.FixtureRequest) -> Ground:
    if request.param == "memory":
        return MemoryGround()
    return HubGround(request.getfixturevalue("github"))


class TestReading:
    def test_the_repository_is_known_by_its_number(self, ground: Ground) -> None:
        facts = ground.forge.repository()

        assert facts.id > 0
        assert (facts.default_branch, facts.owner.login) == ("main", "ada")
        assert (facts.is_private, facts.is_archived, facts.is_organization) == (False,) * 3
        assert facts.clone_url.endswith(f"/{facts.name}.git")

    def test_there_may_be_no_contract(self, ground: Ground) -> None:
        assert ground.forge.contract() is None

    def test_the_contract_is_the_default_branchs(self, ground: Ground) -> None:
        head = ground.push("main", {CONTRACT: "version: 1\n"})
        ground.push("evil", {CONTRACT: "version: 666\n"})
        found = ground.forge.contract()

        assert found is not None
        assert (found.commit, found.content) == (head, b"version: 1\n")
        assert found.name == f"{ground.forge.repository().name}/{CONTRACT}"

    def test_a_contract_that_is_a_link_is_none(self, ground: Ground) -> None:
        ground.push("main", {CONTRACT: ("120000", b"../a.py")})

        assert ground.forge.contract() is None

    def test_a_file_is_read_at_a_commit(self, ground: Ground) -> None:
        old = ground.forge.ref("refs/heads/main")
        ground.push("main", {"a.py": b"\xff\x00new\r\n", "big": b"x" * 1_100_000, "dir/b": ""})
        new = ground.forge.ref("refs/heads/main")
        assert old is not None
        assert new is not None
        read = ground.forge.file

        assert read("a.py", commit=old) == file(FILES["a.py"])[1]
        assert read("a.py", commit=new) == b"\xff\x00new\r\n"
        assert read("dir/b", commit=new) == b""
        assert read("big", commit=new) == b"x" * 1_100_000
        assert [read(path, commit=new) for path in ("none", "dir", "docs/link")] == [None] * 3

    @pytest.mark.parametrize(
        ("name", "role"),
        [
            ("maintainer", Permission.MAINTAIN),
            ("triager", Permission.TRIAGE),
            ("reader", Permission.READ),
        ],
    )
    def test_a_permission_is_the_true_role(
        self, ground: Ground, name: str, role: Permission
    ) -> None:
        assert ground.forge.permission(ground.who(name)) is role

    def test_nobody_else_gets_a_permission(self, ground: Ground) -> None:
        maintainer = ground.who("maintainer")
        asked = [
            NOBODY,
            replace(maintainer, login="no-such-login"),
            replace(maintainer, id=maintainer.id + 1),
            replace(maintainer, login="../../maintainer"),
        ]

        assert [ground.forge.permission(one) for one in asked] == [Permission.NONE] * 4


class TestThreads:
    def test_an_issue_is_what_people_see(self, ground: Ground) -> None:
        number = ground.open_issue("It breaks", "On Mondays.")
        ground.forge.label(number, "jam")
        found = ground.forge.thread(number)
        assert found is not None

        assert (found.thread.title, found.thread.body) == ("It breaks", "On Mondays.")
        assert (found.thread.author.id, found.labels) == (ground.who("maintainer").id, ("jam",))
        assert (found.thread.is_open, found.thread.is_pull, found.is_locked) == (True, False, False)
        ground.close(number)
        closed = ground.forge.thread(number)
        assert closed is not None
        assert not closed.thread.is_open

    def test_what_is_not_there_is_none(self, ground: Ground) -> None:
        forge = ground.forge
        looks: list[Callable[[int], object]] = [
            forge.thread, forge.comment, forge.pull, forge.check, forge.run, forge.log,
        ]  # fmt: skip

        assert [look(9_999_999) for look in looks] == [None] * 6
        assert (forge.pull_from("none"), forge.pull_of("none")) == (None, None)
        assert (forge.ref("refs/heads/none"), forge.jobs(9_999_999)) == (None, ())

    def test_jam_has_one_comment_and_edits_it(self, ground: Ground) -> None:
        number = ground.open_issue("x", "")
        ground.comment(number, f"{MARK}\nforged")
        for place in range(105):  # more than a page
            ground.comment(number, str(place))
        first = ground.forge.say(number, f"{MARK}\none")
        again = [ground.forge.say(number, f"{MARK}\n{text}") for text in ("two", "two", "three")]
        mine = [text for is_own, text in ground.comments(number) if is_own]

        assert again == [first] * 3
        assert mine == [f"{MARK}\nthree"]
        assert ground.comments(number)[0] == (False, f"{MARK}\nforged")
        written = ground.forge.comment(first)
        assert written is not None
        assert written.text == f"{MARK}\nthree"
        assert ground.forge.own.wrote(written.author)

    def test_another_mark_is_another_comment(self, ground: Ground) -> None:
        number = ground.open_issue("x", "")
        made = {ground.forge.say(number, f"<!-- jam:answer {at} -->\nx") for at in (1, 2)}

        assert len(made) == 2
        assert len(ground.comments(number)) == 2

    def test_nothing_is_said_where_there_is_no_thread(self, ground: Ground) -> None:
        with pytest.raises(ForgeMissing):
            ground.forge.say(4_711, f"{MARK}\nx")

    @pytest.mark.parametrize("where", ["thread", "comment"])
    def test_jams_sign_replaces_its_last_one_only(self, ground: Ground, where: str) -> None:
        number = ground.open_issue("x", "")
        spot = OfThread(number) if where == "thread" else OfComment(ground.comment(number, "y"))
        ground.react(spot, "eyes")
        for reaction in (Reaction.EYES, Reaction.EYES, Reaction.ROCKET):
            ground.forge.react(spot, reaction)

        assert ground.reactions(spot) == {("eyes", False), ("rocket", True)}

    def test_labels_come_and_go_whatever_their_case(self, ground: Ground) -> None:
        number = ground.open_issue("x", "")
        ground.forge.make_label("Needs/Care", color="ff0000", description="a")
        ground.forge.make_label("needs/care", color="00ff00", description="b")
        ground.forge.label(number, "needs/care")
        ground.forge.label(number, "needs/care")

        assert ground.labels(number) == ("Needs/Care",)
        assert [ground.forge.unlabel(number, "needs/care") for _ in range(2)] == [True, False]
        assert ground.labels(number) == ()


KIND = "<!-- jam:flaky v1 "


def new_issue(key: str, title: str = "It wavers", text: str = "Seen.") -> NewIssue:
    return NewIssue(title=title, body=f"{KIND}key={key} -->\n{text}")


class TestIssues:
    def test_an_issue_is_opened_once(self, ground: Ground) -> None:
        first = ground.forge.open_issue(new_issue("a"))
        again = ground.forge.open_issue(new_issue("a", "Another title", "Other words."))
        other = ground.forge.open_issue(new_issue("b"))

        assert again == first
        assert (first.thread.title, first.thread.is_open) == ("It wavers", True)
        assert ground.forge.own.wrote(first.thread.author)
        assert other.thread.number != first.thread.number
        found = [one.thread.number for one in ground.forge.issues(KIND)]
        assert found == [first.thread.number, other.thread.number]

    def test_whoever_copies_the_mark_is_not_heard(self, ground: Ground) -> None:
        copied = ground.open_issue("It wavers", new_issue("a").body)
        ground.open_issue("Another", "Without a mark.")
        mine = ground.forge.open_issue(new_issue("a"))

        assert mine.thread.number != copied
        assert [one.thread.number for one in ground.forge.issues(KIND)] == [mine.thread.number]

    def test_an_issue_of_another_kind_is_not_meant(self, ground: Ground) -> None:
        ground.forge.open_issue(NewIssue(title="x", body="<!-- jam:other -->\nx"))

        assert ground.forge.issues(KIND) == ()

    def test_title_and_text_change_where_they_are_told(self, ground: Ground) -> None:
        number = ground.forge.open_issue(new_issue("a")).thread.number
        body = new_issue("a", text="Seen twice.").body
        ground.forge.edit_issue(number, body=body)
        ground.forge.edit_issue(number, title="It wavers more")

        (found,) = ground.forge.issues(KIND)
        assert (found.thread.title, found.thread.body) == ("It wavers more", body)

    def test_it_is_known_who_closed_it(self, ground: Ground) -> None:
        numbers = [ground.forge.open_issue(new_issue(key)).thread.number for key in "abc"]
        ground.forge.close_issue(numbers[0])
        ground.forge.close_issue(numbers[0])
        ground.close(numbers[1])

        found = {one.thread.number: one for one in ground.forge.issues(KIND)}
        assert [found[number].thread.is_open for number in numbers] == [False, False, True]
        assert ground.forge.own.wrote(found[numbers[0]].closed_by)
        assert found[numbers[1]].closed_by == ground.who("maintainer")
        assert found[numbers[2]].closed_by == NOBODY

    def test_what_was_closed_can_be_open_again(self, ground: Ground) -> None:
        number = ground.forge.open_issue(new_issue("a")).thread.number
        ground.forge.close_issue(number)
        ground.forge.reopen_issue(number)

        (found,) = ground.forge.issues(KIND)
        assert (found.thread.is_open, found.closed_by) == (True, NOBODY)

    def test_an_issue_that_is_not_there_is_missing(self, ground: Ground) -> None:
        with pytest.raises(ForgeMissing):
            ground.forge.close_issue(4_711)


def new_pull(branch: str = "jam/issue-1-x", **over: object) -> NewPull:
    whole = {"base": "main", "title": "Mend f", "body": "Refs #1", "is_draft": True}
    return NewPull(branch=branch, **(whole | over))  # type: ignore[arg-type]


BLOCK = f"<!-- jam:session=s1 contract={'a' * 64} entries=3 seal={'b' * 64} -->"


class TestPulls:
    @pytest.fixture
    def branch(self, ground: Ground) -> str:
        ground.push("jam/issue-1-x", {"a.py": "changed\n"})
        return "jam/issue-1-x"

    def test_one_is_opened_once(self, ground: Ground, branch: str) -> None:
        first = ground.forge.open_pull(new_pull(branch))
        again = ground.forge.open_pull(new_pull(branch, title="Another", is_draft=False))
        pull = first.pull

        assert again == first
        assert (pull.title, pull.body, first.is_draft) == ("Mend f", "Refs #1", True)
        assert (pull.head_branch, pull.base_branch) == (branch, "main")
        assert pull.head_sha == ground.forge.ref(f"refs/heads/{branch}")
        assert first.base_sha == ground.forge.ref("refs/heads/main")
        assert not pull.is_merged
        assert pull.head_repository == ground.forge.repository().id
        assert first.head_name == ground.forge.repository().name
        assert ground.forge.own.wrote(pull.author)
        assert ground.forge.pull(pull.number) == first

    def test_a_persons_is_taken_for_the_branchs(self, ground: Ground, branch: str) -> None:
        number = ground.open_pull(branch, "By hand")
        found = ground.forge.open_pull(new_pull(branch))

        assert (found.number, found.pull.title) == (number, "By hand")
        thread = ground.forge.thread(number)
        assert thread is not None
        assert thread.thread.is_pull

    def test_a_closed_one_is_not_opened_a_second_time(self, ground: Ground, branch: str) -> None:
        first = ground.forge.open_pull(new_pull(branch))
        ground.close(first.number)
        again = ground.forge.open_pull(new_pull(branch))

        assert (again.number, again.pull.is_open) == (first.number, False)

    def test_a_branch_that_is_not_there_has_none(self, ground: Ground) -> None:
        with pytest.raises(ForgeRefused):
            ground.forge.open_pull(new_pull("jam/none"))

    def test_jams_own_are_listed_by_their_branches(self, ground: Ground, branch: str) -> None:
        first = ground.forge.open_pull(new_pull(branch))
        ground.close(first.number)
        for name in ("jam/issue-2-y", "jam/issue-3-z", "jam/other"):
            ground.push(name, {"a.py": f"{name}\n"})
        second = ground.forge.open_pull(new_pull("jam/issue-2-y"))
        ground.open_pull("jam/issue-3-z", "By hand")
        ground.forge.open_pull(new_pull("jam/other"))

        found = ground.forge.own_pulls("jam/issue-")
        assert [(one.number, one.pull.is_open) for one in found] == [
            (second.number, True),
            (first.number, False),
        ]

    def test_title_and_body_are_edited_apart(self, ground: Ground, branch: str) -> None:
        number = ground.forge.open_pull(new_pull(branch)).number
        ground.forge.edit_pull(number, body="Fixes #1")
        ground.forge.edit_pull(number, title="Mend f again")
        found = ground.forge.pull(number)
        assert found is not None

        assert (found.pull.title, found.pull.body) == ("Mend f again", "Fixes #1")
        with pytest.raises(ForgeMissing):
            ground.forge.edit_pull(4_711, body="x")

    def test_a_draft_is_made_ready(self, ground: Ground, branch: str) -> None:
        number = ground.forge.open_pull(new_pull(branch)).number
        for _ in range(2):
            ground.forge.ready(number)
        found = ground.forge.pull(number)

        assert found is not None
        assert not found.is_draft

    def test_a_session_is_found_by_jams_own_block(self, ground: Ground, branch: str) -> None:
        ground.push("theirs", {"b.py": "x\n"})
        theirs = ground.open_pull("theirs", "Forged")
        ground.forge.edit_pull(theirs, body=f"words\n\n{BLOCK}\n")
        assert ground.forge.pull_of("s1") is None

        mine = ground.forge.open_pull(new_pull(branch, body=f"words\n\n{BLOCK}\n"))
        assert ground.forge.pull_of("s1") == mine
        assert ground.forge.pull_of("s2") is None

    def test_reviews_are_asked_of_those_who_can(self, ground: Ground, branch: str) -> None:
        number = ground.forge.open_pull(new_pull(branch)).number
        asked = [ground.forge.ask_review(number, [name]) for name in ("maintainer",) * 2]
        found = ground.forge.pull(number)
        assert found is not None

        assert asked == [True, True]
        assert found.reviewers == ("maintainer",)
        assert ground.forge.ask_review(number, ["nobody-of-that-name"]) is False


def text(**over: object) -> CheckText:
    whole: dict[str, object] = {
        "name": "jam",
        "external_id": "s1",
        "status": Status.IN_PROGRESS,
        "conclusion": "",
        "title": "To do: work",
        "summary": "Working.",
        "buttons": (Button("stop", "Stop", "End it"),),
    }
    return CheckText(**(whole | over))  # type: ignore[arg-type]


DONE = text(
    status=Status.COMPLETED, conclusion="failure", title="Failed", summary="No.", text="Why.",
    buttons=(),
)  # fmt: skip


class TestChecks:
    @pytest.fixture
    def head(self, ground: Ground) -> str:
        return ground.push("main", {"a.py": "changed\n"})

    def test_one_is_made_and_brought_up_to_date(self, ground: Ground, head: str) -> None:
        first = ground.forge.show(Check(sha=head, text=text()))
        began = ground.forge.check(first)
        again = [ground.forge.show(Check(sha=head, text=DONE)) for _ in range(2)]
        found = ground.forge.check(first)
        assert began is not None
        assert found is not None

        assert again == [first, first]
        assert (began.status, began.conclusion, began.summary) == ("in_progress", "", "Working.")
        assert (found.status, found.conclusion) == ("completed", "failure")
        assert (found.title, found.summary, found.text) == ("Failed", "No.", "Why.")
        assert (found.name, found.external_id, found.sha) == ("jam", "s1", head)
        assert found.app == ground.forge.own.app

    def test_another_session_name_or_commit_has_its_own(self, ground: Ground, head: str) -> None:
        other = ground.push("main", {"a.py": "changed again\n"})
        made = [
            ground.forge.show(one)
            for one in (
                Check(sha=head, text=text()),
                Check(sha=head, text=text(external_id="s2")),
                Check(sha=head, text=text(name="jam / verify")),
                Check(sha=other, text=text()),
            )
        ]

        assert len(set(made)) == 4

    def test_notes_are_given_once_and_in_portions(self, ground: Ground, head: str) -> None:
        notes = tuple(Annotation("a.py", at, f"t{at}", "It failed.") for at in range(1, 121))
        number = ground.forge.show(Check(sha=head, text=text(), notes=notes[:60]))
        for _ in range(2):
            ground.forge.show(Check(sha=head, text=DONE, notes=notes))

        assert ground.forge.notes(number) == notes

    def test_no_check_stands_beside_what_is_not_there(self, ground: Ground) -> None:
        with pytest.raises(ForgeRefused):
            ground.forge.show(Check(sha="1" * 40, text=text()))

    def test_what_failed_is_found_with_its_log(self, ground: Ground, head: str) -> None:
        log = "collected 2 items\nFAILED tests/test_a.py::test_b — 日本\n"
        jobs = {"lint": ("success", ""), "test": ("failure", log), "slow": ("cancelled", "")}
        run = ground.run_ci(head, jobs)
        facts = ground.forge.run(run)
        found = ground.forge.jobs(run)
        failed = ground.forge.failing(OfRun(run))
        assert facts is not None

        assert [(one.name, one.has_failed) for one in found] == [
            ("lint", False),
            ("test", True),
            ("slow", False),
        ]
        assert (found[1].failed_steps, found[1].sha, found[1].run) == (("Run tests",), head, run)
        assert [(one.id, one.name, one.conclusion) for one in failed] == [
            (found[1].id, "test", "failure")
        ]
        assert ground.forge.failing(OfCommit(head)) == failed
        assert ground.forge.log(found[1].id) == Log(content=log.encode())
        assert ground.forge.attempts(run) == found
        assert (facts.event, facts.sha, facts.branch, facts.name) == ("push", head, "main", "CI")
        assert facts.actor.id == facts.triggering_actor.id == ground.who("maintainer").id
        assert facts.head_repository == ground.forge.repository().id

    def test_runs_that_are_over_come_newest_first(self, ground: Ground, head: str) -> None:
        first = ground.run_ci(head, {"test": ("failure", "")})
        second = ground.run_ci(head, {"test": ("success", "")})

        found = ground.forge.recent_runs(most=5)

        assert [(one.id, one.sha, one.conclusion) for one in found] == [
            (second, head, "success"),
            (first, head, "failure"),
        ]
        assert [one.id for one in ground.forge.recent_runs(most=1)] == [second]


def commit(
    files: dict[str, tuple[str, bytes]],
    change: dict[str, tuple[str, bytes] | None],
    message: str = "Mend f",
) -> tuple[NewCommit, dict[str, tuple[str, bytes]]]:
    """The change as a commit on ``files``, and the files that it leads to."""
    after = files | {path: one for path, one in change.items() if one is not None}
    after = {path: one for path, one in after.items() if change.get(path, one) is not None}
    made = NewCommit(
        tree=memory_git.tree(after),
        message=message,
        put=tuple(FilePut(path, *one) for path, one in change.items() if one is not None),
        drop=tuple(path for path, one in change.items() if one is None),
    )
    return made, after


BRANCH = "refs/heads/jam/issue-1-x"
CHANGES: dict[str, dict[str, tuple[str, bytes] | None]] = {
    "text": {"a.py": ("100644", "x = 'é 日本'\n".encode())},
    "bytes": {"data.bin": ("100644", bytes(range(256)))},
    "line ends": {"a.py": ("100644", b"one\r\ntwo\rthree\n\n")},
    "no line end": {"a.py": ("100644", b"one")},
    "nothing in it": {"empty": ("100644", b"")},
    "the bit": {"a.py": ("100755", file(FILES["a.py"])[1])},
    "a link": {"docs/link": ("120000", b"../run.sh"), "new": ("120000", b"no/where")},
    "a link that was a file": {"a.py": ("120000", b"run.sh")},
    "taken away": {"docs/link": None, "run.sh": None},
    "a folder that was a file": {"a.py": None, "a.py/b": ("100644", b"x\n")},
    "a file that was a folder": {"docs/link": None, "docs": ("100644", b"x\n")},
    "odd names": {"ü ?#%&+\"'.txt": ("100644", b"x\n"), "-rf": ("100644", b"y\n")},
    "a pointer": {
        "big": (
            "100644",
            b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"a" * 64 + b"\nsize 1\n",
        )
    },
    "very many": {f"d/{at}.py": ("100644", b"%d\n" % at) for at in range(250)},
    "long": {"long.txt": ("100644", b"0123456789abcde\n" * 20_000)},
}


class TestCommits:
    @pytest.fixture
    def base(self, ground: Ground) -> str:
        sha = ground.forge.ref("refs/heads/main")
        assert sha is not None
        return sha

    @pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
    def test_a_tree_arrives_bit_for_bit(
        self, ground: Ground, base: str, change: dict[str, tuple[str, bytes] | None]
    ) -> None:
        made, after = commit(ground.files(base), change)
        pushed = ground.forge.push(BRANCH, [made], base=base)

        assert (pushed.ref, pushed.tree) == (BRANCH, made.tree)
        assert ground.forge.ref(BRANCH) == pushed.commit
        assert ground.files(pushed.commit) == after

    def test_commits_follow_on_each_other(self, ground: Ground, base: str) -> None:
        first, after = commit(ground.files(base), {"t.py": ("100644", b"1\n")}, "test: it fails")
        second, after = commit(after, {"a.py": ("100644", b"2\n")}, "Mend it")
        pushed = ground.forge.push(BRANCH, [first, second], base=base)

        assert pushed.tree == second.tree
        assert ground.files(pushed.commit) == after

    def test_the_same_again_changes_nothing(self, ground: Ground, base: str) -> None:
        made, _ = commit(ground.files(base), {"a.py": ("100644", b"2\n")})
        pushed = [ground.forge.push(BRANCH, [made], base=base) for _ in range(2)]

        assert pushed[0] == pushed[1]

    def test_what_holds_something_else_is_not_moved(self, ground: Ground, base: str) -> None:
        theirs = ground.push("jam/issue-1-x", {"b.py": "by hand\n"})
        made, _ = commit(ground.files(base), {"a.py": ("100644", b"2\n")})
        for onto in Onto:
            with pytest.raises(RefTaken):
                ground.forge.push(BRANCH, [made], base=base, onto=onto)

        assert ground.forge.ref(BRANCH) == theirs

    def test_a_branch_goes_forward_from_where_the_change_began(
        self, ground: Ground, base: str
    ) -> None:
        first, after = commit(ground.files(base), {"a.py": ("100644", b"2\n")})
        began = ground.forge.push(BRANCH, [first], base=base).commit
        second, after = commit(after, {"a.py": ("100644", b"3\n")})
        with pytest.raises(RefTaken):
            ground.forge.push(BRANCH, [second], base=began)
        moved = [
            ground.forge.push(BRANCH, [second], base=began, onto=Onto.FORWARD) for _ in range(2)
        ]

        assert moved[0] == moved[1]
        assert ground.files(moved[0].commit) == after

    def test_a_branch_that_lags_behind_is_not_jams_to_move(self, ground: Ground, base: str) -> None:
        later, after = commit(ground.files(base), {"a.py": ("100644", b"2\n")})
        began = ground.forge.push("refs/heads/jam/other", [later], base=base).commit
        first, _ = commit(ground.files(base), {"b.py": ("100644", b"1\n")})
        there = ground.forge.push(BRANCH, [first], base=base).commit
        second, _ = commit(after, {"a.py": ("100644", b"3\n")})
        ground.back(BRANCH, base)
        with pytest.raises(RefTaken):
            ground.forge.push(BRANCH, [second], base=began, onto=Onto.FORWARD)

        assert (ground.forge.ref(BRANCH), there != base) == (base, True)

    @pytest.mark.parametrize(
        "path", [".github/workflows/ci.yml", ".github/workflows/deep/x", ".GITHUB/Workflows/x"]
    )
    def test_workflow_files_need_a_person(self, ground: Ground, base: str, path: str) -> None:
        fine, after = commit(ground.files(base), {"a.py": ("100644", b"2\n")})
        wrong, _ = commit(after, {path: ("100644", b"on: push\n")})
        with pytest.raises(ForgeRefused, match="needs a person"):
            ground.forge.push(BRANCH, [fine, wrong], base=base)

        assert ground.forge.ref(BRANCH) is None

    def test_what_git_or_github_would_not_take_is_refused(self, ground: Ground, base: str) -> None:
        fine, _ = commit(ground.files(base), {"a.py": ("100644", b"2\n")})
        lib = NewCommit(tree="1" * 40, message="x", put=(FilePut("lib", "160000", b""),))

        for ref, made in (("refs/heads/" + "a" * 40, fine), ("refs/tags/v1", fine), (BRANCH, lib)):
            with pytest.raises(ForgeRefused):
                ground.forge.push(ref, [made], base=base)

    def test_checkpoints_are_references_and_can_go(self, ground: Ground, base: str) -> None:
        made, _ = commit(ground.files(base), {"a.py": ("100644", b"2\n")})
        ref = "refs/jam/checkpoints/s1/1"
        pushed = ground.forge.push(ref, [made], base=base)
        listed = ground.forge.refs("refs/jam/checkpoints/s1/")

        assert listed == (RefFacts(ref, pushed.commit),)
        for _ in range(2):
            ground.forge.drop(ref)
        assert ground.forge.refs("refs/jam/") == ()
        with pytest.raises(ForgeRefused):
            ground.forge.drop("refs/heads/main")
