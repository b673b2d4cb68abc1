from __future__ import annotations

from bot.core import runner_words


def read_outputs(text: str) -> dict[str, str]:
    """As GitHub's runner reads its file: a name, a mark, lines, the mark."""
    found = {}
    lines = iter(text.splitlines())
    for line in lines:
        name, _, mark = line.partition("<<")
        held = []
        for inner in lines:
            if inner == mark:
                break
            held.append(inner)
        found[name] = "\n".join(held)
    return found


def test_a_value_cannot_end_itself_and_begin_another() -> None:
    evil = "x\njam-n0nce\noutcome<<E\nverified\nE\n"

    assert read_outputs(
        runner_words.outputs({"why": evil, "outcome": "failed"}, nonce="n0nce")
    ) == {
        "why": "x\n\noutcome<<E\nverified\nE\n",
        "outcome": "failed",
    }


def test_an_output_is_bounded() -> None:
    text = runner_words.outputs({"why": "a" * 10**6}, nonce="n")

    assert len(text) < runner_words.OUTPUT_CHARACTERS + 1_000


def test_a_summary_that_the_runner_would_drop_is_cut_and_says_so() -> None:
    text = runner_words.summary("\u00e9" * 600_000)

    assert len(text.encode()) < 1 << 20
    assert text.endswith("*Cut here: the rest is in the artifact.*\n")
    assert runner_words.summary("short") == "short\n"


def test_a_secret_of_several_lines_is_masked_line_by_line() -> None:
    assert runner_words.masks(("-----BEGIN KEY-----\nabcdefghij\nx\n", "")) == (
        "::add-mask::-----BEGIN KEY-----",
        "::add-mask::abcdefghij",
    )


def test_the_runner_is_told_to_obey_nothing() -> None:
    assert runner_words.deaf("n0nce") == "::stop-commands::n0nce"
