"""What may be run and written. Of all layers the strictest decides."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.contract import Contract, PolicySpec, Protection
from bot.core.policy import (
    ALLOWED,
    OWN,
    READ_ONLY,
    Answer,
    Decision,
    Policy,
    compose,
    decide_command,
    decide_write,
    layer,
    needs_review,
    of_contract,
    path_matches,
    read_only,
)
from bot.core.shell import Command, commands

STRICTNESS = list(Answer)
DENIES_CURL = layer(deny=["curl"])

words = st.sampled_from(["curl", "git", "push", "-f", "rm", "-rf", "env", "A=1", "sh", "-c", "x/y"])
glue = st.sampled_from([" ", " && ", "|", ";", "\n", " > ", '"', "'", "\\", "$(", ")", "`", "#"])
scripts = st.lists(words | glue, max_size=12).map(" ".join) | st.text(max_size=30)
patterns = st.sampled_from(["curl", "git push", "rm -rf", "x/**", "*.lock", "c*", "x/", ""])
paths = st.sampled_from(["x/y", "a.lock", "b/a.lock", "../x", "/x", "", ".git/config", "curl", "z"])
layers = st.builds(
    lambda deny, ask, block, frozen: compose(
        layer(deny=deny, ask=ask, protect=dict.fromkeys(block, Protection.BLOCK)),
        read_only(frozen),
    ),
    st.lists(patterns, max_size=3),
    st.lists(patterns, max_size=3),
    st.lists(patterns, max_size=2),
    st.lists(paths, max_size=2),
)


class TestComposing:
    @given(st.lists(layers, max_size=3), layers, scripts, paths)
    def test_never_loosens(self, under: list[Policy], over: Policy, script: str, path: str) -> None:
        before, after = compose(*under), compose(*under, over)

        assert _strict(decide_command(after, script)) >= _strict(decide_command(before, script))
        assert _strict(decide_write(after, path)) >= _strict(decide_write(before, path))
        assert _strict(decide_command(after, script)) >= _strict(decide_command(over, script))

    def test_every_layer_keeps_its_say(self) -> None:
        policy = compose(DENIES_CURL, read_only(["a"]), layer(ask=["rm"]), Policy())

        assert decide_command(policy, "curl x").answer is Answer.DENY
        assert decide_command(policy, "rm x").answer is Answer.ASK
        assert decide_write(policy, "a") == Decision(Answer.DENY, READ_ONLY)

    @given(layers, layers, scripts)
    def test_does_not_depend_on_the_order(self, one: Policy, other: Policy, script: str) -> None:
        there, back = compose(one, other), compose(other, one)

        assert decide_command(there, script).answer == decide_command(back, script).answer

    @given(layers, scripts, paths)
    def test_where_nobody_can_be_asked_nothing_is_asked(
        self, policy: Policy, script: str, path: str
    ) -> None:
        quiet = policy.without_asking()

        assert decide_command(quiet, script).answer is not Answer.ASK
        assert decide_write(quiet, path).answer is not Answer.ASK
        assert _strict(decide_command(quiet, script)) >= _strict(decide_command(policy, script))

    @given(layers, scripts, paths)
    def test_a_person_who_agrees_lifts_ask_and_never_deny(
        self, policy: Policy, script: str, path: str
    ) -> None:
        both = frozenset({script, path})
        before = decide_command(policy, script).answer, decide_write(policy, path).answer
        after = (
            decide_command(policy, script, approved=both).answer,
            decide_write(policy, path, approved=both).answer,
        )

        assert after == tuple(Answer.ALLOW if one is Answer.ASK else one for one in before)

    def test_without_rules_everything_inside_is_allowed(self) -> None:
        assert decide_command(compose(), "rm -rf /") == ALLOWED
        assert decide_write(compose(), "src/a.py") == ALLOWED


class TestCommands:
    @pytest.mark.parametrize(
        "script",
        [
            "curl http://x",
            "/usr/bin/curl x",
            "cd src && curl x",
            "true|curl x",
            "false || curl x",
            "sleep 1 & curl x",
            "curl x; true",
            "(curl x)",
            "{ curl x; }",
            "echo $(curl x)",
            'echo "today: `curl x`"',
            "cat <(curl x)",
            "! curl x",
            "if true; then curl x; fi",
            "for a in b; do curl $a; done",
            "A=1 B='2 3' curl x",
            "env A=1 curl x",
            "env -i PATH=/bin curl x",
            "timeout -k 1 5 nice -n 3 curl x",
            "xargs -n1 curl < urls",
            "find . -name x -exec curl {} ;",
            "sh -c 'curl x'",
            'bash -lc "cd a; curl x"',
            "env A=1 sh -c 'curl x'",
            'sh -c "sh -c \\"curl x\\""',
            "eval curl x",
            "eval 'cu'rl x",
            "c'ur'l x",
            'cu"r"l x',
            "c\\url x",
            "cu\\\nrl x",
            "$'curl' x",
            "c?rl x",
            "cur[l] x",
            "true\ncurl x",
            "echo 'open\ncurl x'; curl x",
            "case a in a) curl x;; esac",
            "'curl' x # fine",
            "f() { curl x; }; f",
        ],
    )
    def test_are_seen_through_the_ways_to_write_them(self, script: str) -> None:
        assert decide_command(DENIES_CURL, script) == Decision(Answer.DENY, "policy denies 'curl'")

    @pytest.mark.parametrize(
        "script",
        [
            "echo curl",
            "python -m pytest tests/test_curl.py",
            "grep -rn 'curl x' .",
            "echo done # curl x",
            "echo 'a; curl x'",
            'git commit -m "use curl"',
            "curlew x",
            "",
            "   \n # nothing",
        ],
    )
    def test_that_only_speak_of_it_are_allowed(self, script: str) -> None:
        assert decide_command(DENIES_CURL, script) == ALLOWED

    @pytest.mark.parametrize(
        ("pattern", "script", "matches"),
        [
            ("git push", "git push origin main", True),
            ("git push", "git -C sub --no-pager push -f", True),
            ("git push", "git pull", False),
            ("rm -rf", "rm -fr build", True),
            ("rm -rf", "rm -r -f build", True),
            ("rm -rf", "rm -r build", False),
            ("npm publish*", "npm publish", True),
            ("pip*", "pip3 install x", True),
            ("scripts/deploy.sh", "./scripts/deploy.sh --now", True),
            ("scripts/deploy.sh", "/jam/repo/scripts/deploy.sh", True),
            ("scripts/deploy.sh", "cat scripts/deploy.sh", False),
        ],
    )
    def test_match_by_their_words(self, pattern: str, script: str, matches: bool) -> None:
        expected = Answer.DENY if matches else Answer.ALLOW

        assert decide_command(layer(deny=[pattern]), script).answer is expected

    @pytest.mark.parametrize(
        ("script", "answer"),
        [
            ("echo x > .github/workflows/ci.yml", Answer.DENY),
            ("echo x >>./.github/ci.yml", Answer.DENY),
            ("echo x &> .github/ci.yml", Answer.DENY),
            ("echo x | tee .github/ci.yml", Answer.DENY),
            ("sed -i s/a/b/ .github/ci.yml", Answer.DENY),
            ("rm -rf .github/workflows", Answer.DENY),
            ("cp ci.yml /jam/repo/.github/ci.yml", Answer.DENY),
            ("cd sub; rm ../.github/x", Answer.DENY),
            ("rm tests/test_a.py", Answer.ALLOW),
            ("cat .github/ci.yml > copy.yml", Answer.ALLOW),
            ("cp .github/ci.yml copy.yml", Answer.ALLOW),
            ("sed -n 1,5p .github/ci.yml", Answer.ALLOW),
            ("python -m pytest tests/test_a.py 2>&1", Answer.ALLOW),
        ],
    )
    def test_that_say_they_write_a_denied_path_are_denied(
        self, script: str, answer: Answer
    ) -> None:
        assert decide_command(layer(deny=[".github/**"]), script).answer is answer

    def test_may_do_to_protected_and_frozen_paths_what_is_undone_later(self) -> None:
        """A shell has a thousand ways; restoring has none to miss, and counts the attempt."""
        protected = layer(protect={".github/**": Protection.BLOCK})
        policy = compose(OWN, protected, read_only(["tests/test_a.py"]))

        assert decide_command(policy, "rm tests/test_a.py; echo > .github/ci.yml") == ALLOWED

    def test_that_are_asked_about_say_why(self) -> None:
        assert decide_command(layer(ask=["npm install"]), "cd web && npm install left") == Decision(
            Answer.ASK, "policy asks about 'npm install'"
        )

    def test_of_great_length_are_read_in_no_time(self) -> None:
        began = time.process_time()

        for script in (
            "env " * 10_000,
            "sh " * 2_000,
            "$(" * 50_000,
            "'\"" * 50_000,
            "a;" * 50_000,
        ):
            decide_command(DENIES_CURL, script)

        assert time.process_time() - began < 5

    @given(scripts)
    def test_never_fail_to_be_read(self, script: str) -> None:
        assert all(isinstance(command, Command) for command in commands(script))


class TestPaths:
    @pytest.mark.parametrize(
        ("pattern", "path", "matches"),
        [
            (".github/**", ".github/workflows/ci.yml", True),
            (".github/**", "docs/.github/x", False),
            (".github/**", ".GitHub/x", True),
            ("*.lock", "poetry.lock", True),
            ("*.lock", "web/yarn.lock", True),
            ("*.lock", "lock.py", False),
            ("tests/", "tests/a/b.py", True),
            ("tests/", "src/tests/a.py", True),
            ("/tests/", "src/tests/a.py", False),
            ("src/*.py", "src/a.py", True),
            ("src/*.py", "src/a/b.py", False),
            ("src/**/b.py", "src/b.py", True),
            ("src/**/b.py", "src/a/a/b.py", True),
            ("a?c", "abc", True),
            ("a.c", "abc", False),
        ],
    )
    def test_match_as_globs(self, pattern: str, path: str, matches: bool) -> None:
        assert path_matches(pattern, path) is matches

    @pytest.mark.parametrize("path", ["/etc/passwd", "../x", "a/../../x", "", "."])
    def test_that_leave_the_checkout_are_denied(self, path: str) -> None:
        assert decide_write(compose(), path) == Decision(
            Answer.DENY, "the path is outside of the checkout"
        )

    @pytest.mark.parametrize("path", [".git/hooks/pre-commit", "./.git/config", ".GIT/config"])
    def test_of_git_itself_are_denied(self, path: str) -> None:
        assert decide_write(OWN, path).answer is Answer.DENY

    def test_that_are_frozen_are_denied_and_new_ones_beside_them_are_not(self) -> None:
        policy = read_only(["tests/test_a.py"])

        assert decide_write(policy, "tests/test_a.py") == Decision(Answer.DENY, READ_ONLY)
        assert decide_write(policy, "tests/TEST_a.py") == Decision(Answer.DENY, READ_ONLY)
        assert decide_write(policy, "tests/test_b.py") == ALLOWED

    def test_of_a_contract(self) -> None:
        contract = Contract(
            policy=PolicySpec(deny=("migrations/**",), ask=("setup.py",)),
            protect={".github/**": Protection.BLOCK, "*.lock": Protection.REVIEW},
        )
        policy = of_contract(contract)

        assert [
            decide_write(policy, path).answer.value
            for path in (
                "migrations/1",
                "setup.py",
                ".github/ci.yml",
                ".git/config",
                "a.lock",
                "a.py",
            )
        ] == ["deny", "ask", "deny", "deny", "allow", "allow"]
        assert [needs_review(policy, path) for path in ("web/a.lock", "a.py")] == [True, False]


def _strict(decision: Decision) -> int:
    return STRICTNESS.index(decision.answer)
