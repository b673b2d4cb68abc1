"""Functions of languages with braces are made to fail where their text shows them."""

from __future__ import annotations

import pytest

from bot.core.sensitivity.braces import GO, RUST, SCRIPT, Language, break_functions, language_of
from bot.core.sensitivity.sabotage import Sabotaged
from bot.core.sensitivity.source import Opaque

GO_TEXT = """\
package a

func Free(total, taken int) int {
\tif total > 1 {
\t\treturn total - taken
\t}
\treturn 0
}

func (k *Kind) Long(
\ta int,
) (int, error) {
\treturn a, nil
}
"""
RUST_TEXT = """\
impl Kind {
    pub(crate) async fn free(&self, total: u32) -> u32 {
        match total {
            1 => 2,
            _ => 3,
        }
    }
}
const LEAST: u32 = 4;
"""
SCRIPT_TEXT = """\
export function free(total, taken) {
  for (const one of total) {
    one.use(1);
  }
}
class Kind {
  async #least(a) {
    return 2;
  }
}
const each = (a) => {
  return 3;
};
const table = {
  four: 4,
};
"""

FOUND = {
    "go": (GO, GO_TEXT, "total - taken", ("Free()", 3)),
    "go, over lines": (GO, GO_TEXT, "return a", ("Long()", 12)),
    "rust": (RUST, RUST_TEXT, "1 => 2", ("free()", 2)),
    "script": (SCRIPT, SCRIPT_TEXT, "use(1)", ("free()", 1)),
    "script, a method": (SCRIPT, SCRIPT_TEXT, "return 2", ("least()", 7)),
    "script, an arrow": (SCRIPT, SCRIPT_TEXT, "return 3", ("the function at line 11", 11)),
}


@pytest.mark.parametrize(("language", "text", "old", "found"), FOUND.values(), ids=FOUND.keys())
def test_the_function_around_a_change_fails_first_thing(
    language: Language, text: str, old: str, found: tuple[str, int]
) -> None:
    new = text.replace(old, f"{old} + 1")
    made = break_functions(text.encode(), new.encode(), language, marker="M")

    name, line = found
    expected = new.splitlines(keepends=True)
    expected.insert(line, f" {language.statement.format(marker='M')}\n")
    assert made == Sabotaged("".join(expected).encode(), (name,))


OUTSIDE = {"rust": (RUST, RUST_TEXT, "= 4"), "script": (SCRIPT, SCRIPT_TEXT, "four: 4")}


@pytest.mark.parametrize(("language", "text", "old"), OUTSIDE.values(), ids=OUTSIDE.keys())
def test_what_is_in_no_function_is_left_alone(language: Language, text: str, old: str) -> None:
    new = text.replace(old, f"{old}1")

    made = break_functions(text.encode(), new.encode(), language, marker="M")
    assert isinstance(made, Opaque)


def test_a_line_that_went_belongs_to_the_function_around_it() -> None:
    new = GO_TEXT.replace("\treturn 0\n", "")
    made = break_functions(GO_TEXT.encode(), new.encode(), GO, marker="M")

    assert isinstance(made, Sabotaged)
    assert made.what == ("Free()",)


def test_languages_are_known_by_their_suffix() -> None:
    paths = ["a/b.go", "b.rs", "c.test.ts", "d.mjs", "e.py", "Makefile"]
    assert [language_of(path) for path in paths] == [GO, RUST, SCRIPT, SCRIPT, None, None]
