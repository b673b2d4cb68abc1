"""Every way out to GitHub, with every secret in every spelling: nothing of it arrives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from bot.adapters.github.means import Means
from bot.core.annotations import Annotation
from bot.core.check_text import CheckText, Status
from bot.core.forge_values import Check, NewCommit, NewPull
from bot.core.redact import MASK, Redactor
from bot.errors import ForgeRefused
from tests.core.test_redact import SPELLINGS
from tests.ports.forges import HubGround, Small, small_github
from tests.ports.test_forge import commit

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]
MODEL, HOOK = "sk-ant-canary-0123456789abcdef", "a canary of the webhook 42"
MARK = "<!-- jam:status v1 thread=1#1 -->"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Small]:
    with small_github(tmp_path_factory.mktemp("hub")) as one:
        yield one


@pytest.fixture(scope="module")
def means(small: Small) -> Means:
    return replace(small.time.means, redactor=Redactor([MODEL, HOOK]))


@pytest.fixture(scope="module")
def ground(small: Small, means: Means) -> HubGround:
    small.app = small.enter(means)
    return HubGround(small)


def change(ground: HubGround, put: dict[str, bytes], message: str = "Mend f") -> NewCommit:
    files = ground.files(ground.base)
    return commit(files, {path: ("100644", content) for path, content in put.items()}, message)[0]


def secrets(ground: HubGround) -> dict[str, str]:
    """In every position: given by the environment, read from a file, minted on the way."""
    ground.forge.repository()
    tokens = [token for token in ground.hub.hub.store.tokens if token.startswith("ghs_")]
    return {
        "model key": MODEL,
        "webhook secret": HOOK,
        "App's key": ground._key.private_key,
        "token": tokens[-1],
    }


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_what_people_read_is_masked(ground: HubGround, means: Means, spelling: str) -> None:
    for name, secret in secrets(ground).items():
        shown = SPELLINGS[spelling](secret)
        number = ground.open_issue(f"about a {name}", "text")
        ground.forge.say(number, f"{MARK}\nit said {shown}.")
        branch = f"b{number}"
        ground.push(branch, {"x.txt": str(number)})
        new = NewPull(branch=branch, base="main", title=shown, body=shown, is_draft=False)
        pull = ground.forge.open_pull(new)
        ground.forge.edit_pull(pull.number, title=f"t {shown}", body=f"b {shown}")
        text = CheckText(
            name="jam", external_id=f"s{number}", status=Status.COMPLETED, conclusion="failure",
            title=shown[:200], summary=shown, text=shown,
        )  # fmt: skip
        note = Annotation("a.py", 1, shown[:200], shown)
        check = ground.forge.show(Check(sha=ground.base, text=text, notes=(note, note)))
        seen = ground.hub.pull(ground.name, pull.number).thread
        found = ground.forge.check(check)
        notes = ground.forge.notes(check)
        assert found is not None
        told = [
            *(ground.comments(number)[0][1], seen.title, seen.body),
            *(found.summary, found.text, found.title),
            *(text for one in notes for text in (one.title, one.message)),
        ]
        assert [one for one in told if means.redactor.holds(one.encode())] == [], name
        assert [one for one in told if MASK not in one] == [], name
        assert len(notes) == 2


@pytest.mark.parametrize("spelling", ["plain", "base64", "hexadecimal", "backwards", "in lines"])
def test_what_is_kept_bit_for_bit_is_refused(ground: HubGround, spelling: str) -> None:
    for name, secret in secrets(ground).items():
        shown = SPELLINGS[spelling](secret)
        branch = f"refs/heads/jam/{spelling.replace(' ', '-')}-{name.replace(' ', '-').lower()}"
        for content in (shown.encode(), b"\0" + shown.encode()):
            one = change(ground, {"leak.txt": content})
            with pytest.raises(ForgeRefused, match="holds a secret that jam knows"):
                ground.forge.push(branch.replace("'", ""), [one], base=ground.base)
        assert ground.forge.ref(branch.replace("'", "")) is None


def test_a_commits_message_is_masked_and_its_tree_stays(ground: HubGround, means: Means) -> None:
    one = change(ground, {"fine.txt": b"fine\n"}, message=f"fix: {MODEL}")
    made = ground.forge.push("refs/heads/jam/fine", [one], base=ground.base)
    message = ground.repo.git.git("log", "-1", "--format=%B", made.commit).decode()

    assert made.tree == one.tree
    assert f"fix: {MASK}" in message


def test_no_branch_is_named_after_a_secret(ground: HubGround) -> None:
    one = change(ground, {"fine.txt": b"fine\n"})

    with pytest.raises(ForgeRefused, match="holds a secret that jam knows"):
        ground.forge.push(f"refs/heads/jam/{MODEL}", [one], base=ground.base)
