"""
What a disturbed test module carries in itself: text of Python, for any interpreter since 3.8.

``other`` gives a value that what is right cannot equal, of the same kind where it can be, so that
an object that equals every number is found out as well. ``same`` tries it on the spot and goes on;
``call`` does so with the assertions of unittest, of mocks and of others.
"""

from __future__ import annotations

EQUAL = frozenset(
    {
        "assertEqual",
        "assertEquals",
        "assertListEqual",
        "assertDictEqual",
        "assertTupleEqual",
        "assertSetEqual",
        "assertSequenceEqual",
        "assertMultiLineEqual",
        "assertAlmostEqual",
        "assertCountEqual",
        "failUnlessEqual",
        "assertAlmostEquals",
        "assertItemsEqual",
    }
)
"""Assertions of two values that are to be equal."""

OPPOSITE = {
    "assertTrue": "assertFalse",
    "assertFalse": "assertTrue",
    "assertIn": "assertNotIn",
    "assertNotIn": "assertIn",
    "assertIs": "assertIsNot",
    "assertIsNot": "assertIs",
    "assertIsNone": "assertIsNotNone",
    "assertIsNotNone": "assertIsNone",
    "assertIsInstance": "assertNotIsInstance",
    "assertNotIsInstance": "assertIsInstance",
    "assertNotEqual": "assertEqual",
    "assertNotEquals": "assertEqual",
    "assertGreater": "assertLessEqual",
    "assertLess": "assertGreaterEqual",
    "assertGreaterEqual": "assertLess",
    "assertLessEqual": "assertGreater",
    "assertRegex": "assertNotRegex",
    "assertNotRegex": "assertRegex",
    "assert_": "assertFalse",
    "failUnless": "assertFalse",
}
"""Assertions of one value, and what holds where they do not."""

RUNTIME = '''
import os
import zlib

MANY = 8  # a failure that differs in each of a thousand places takes minutes to be told
acted = set()


class Never(Exception):
    """Nothing raises it."""


class NeverWarning(Warning):
    """Nothing warns of it."""


class HELD(BaseException):
    """An expectation that was disturbed held all the same."""


class Other:
    def __init__(self, value):
        self.value = value

    def __eq__(self, that):
        return type(that) is Other and bool(self.value == that.value)

    def __ne__(self, that):
        return not self == that

    def __hash__(self):
        return 7

    def __repr__(self):
        return "disturbed: %r" % (self.value,)


def _merged(value, some):
    merged = dict(value)
    merged.update(some)
    return merged


def other(value, depth=0):
    kind = type(value)
    if kind is bool:
        return not value
    if kind is int:
        return value + 7919
    if kind is float:
        return value * 3 + 7919.5 if value == value and abs(value) < 1e300 else -7919.5
    if kind is str:
        return value + " (disturbed)"
    if kind is bytes:
        return value + b" (disturbed)"
    if depth < 5 and kind in (list, tuple):
        head, tail = value[:MANY], value[MANY:]
        return kind([other(one, depth + 1) for one in head]) + tail or kind([Other(None)])
    if depth < 5 and kind is dict:
        some = {key: other(value[key], depth + 1) for key in list(value)[:MANY]}
        return _merged(value, some) or {Other(None): 0}
    if kind in (set, frozenset):
        return kind(value) ^ {Other(None)}
    if kind.__module__.startswith("_pytest.") and hasattr(value, "expected"):
        import copy

        again = copy.copy(value)
        again.expected = other(value.expected, depth + 1)
        return again
    return Other(value)


def current():
    """Which test it is, in short; nothing where only pytest would know."""
    name = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0].partition("::")[2]
    return "%08x" % zlib.crc32(name.encode("utf-8", "replace")) if name else ""


def at(place):
    acted.add((current(), place))


def holds(check):
    try:
        return bool(check())
    except Exception:
        return False


def same(left, right, side, place):
    """Compares as ever. What is equal must not be equal to something else as well."""
    at(place)
    result = left == right
    if holds(lambda: result) and holds(
        (lambda: other(left) == right) if side == "left" else (lambda: left == other(right))
    ):
        raise HELD("it equals what it should not as well")
    return result


OPPOSITE = {OPPOSITES}
EQUAL = {EQUALITIES}
RAISES = {"assertRaises", "assertRaisesRegex", "assertRaisesRegexp"}
WARNS = {"assertWarns", "assertWarnsRegex", "assertWarnsRegexp"}


def call(function, place, side="right"):
    """The same assertion, disturbed."""
    name = getattr(function, "__name__", "")
    owner = getattr(function, "__self__", None)
    opposite = getattr(type(owner), OPPOSITE.get(name, ""), None)

    def disturbed(*args, **named):
        at(place)
        if opposite is not None:
            return opposite(owner, *args, **named)
        if name in EQUAL and len(args) > 1:
            spot = 0 if side == "left" else 1
            args = args[:spot] + (other(args[spot]),) + args[spot + 1 :]
            return function(*args, **named)
        if name in RAISES and args:
            return function(Never, *args[1:], **named)
        if name in WARNS and args:
            return function(NeverWarning, *args[1:], **named)
        try:
            function(*args, **named)
        except AssertionError:
            return None
        raise AssertionError("disturbed: %s is not to hold" % (name,))

    return disturbed


def trying(function, place, side="right"):
    """The same assertion as ever. What holds must not hold for something else as well."""
    name = getattr(function, "__name__", "")

    def tried(*args, **named):
        at(place)
        result = function(*args, **named)
        if name in EQUAL and len(args) > 1:
            spot = 0 if side == "left" else 1
            changed = args[:spot] + (other(args[spot]),) + args[spot + 1 :]

            def check():
                function(*changed, **named)
                return True

            if holds(check):
                raise HELD("%s holds for what it should not as well" % (name,))
        return result

    return tried


def invert(kind, name, place, wrap):
    """Disturb whatever assertions a method of a test case makes, wherever their text is."""
    method = getattr(kind, name, None)
    if method is None:
        return

    def inverted(self, *args, **named):
        # Not those of its own making: what they call is one of these, and twice is not at all.
        for word in (*OPPOSITE, *EQUAL, *RAISES, *WARNS):
            if hasattr(type(self), word):
                setattr(self, word, wrap(getattr(self, word), place))
        return method(self, *args, **named)

    inverted.__name__ = name
    inverted.__qualname__ = kind.__qualname__ + "." + name
    setattr(kind, name, inverted)


def confess():
    """Fails always, and says which tests came to an expectation that was disturbed."""
    told = sorted({"%s|%s" % one for one in acted})
    raise AssertionError("SAID" + repr(told)[-3000:] + "DIAS")
'''


def runtime(name: str, *, held: str) -> str:
    """One line that binds ``name`` to all of it."""
    text = RUNTIME.replace("{EQUALITIES}", repr(set(EQUAL))).replace("{OPPOSITES}", repr(OPPOSITE))
    text = text.replace("HELD", held).replace("SAID", f"{held}<<").replace("DIAS", ">>")
    return f"{name} = __import__('types').SimpleNamespace(); exec({text!r}, {name}.__dict__)"
