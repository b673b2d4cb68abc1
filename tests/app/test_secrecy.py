"""Which values of an environment count as secrets."""

from __future__ import annotations

from bot.wiring.secrecy import secrets_of


def test_values_that_look_like_secrets_count_and_places_and_switches_do_not() -> None:
    environment = {
        "MY_TOKEN": "abc-123-def",
        "DB_PASSWORD": "Hunter2hunter2",
        "JAM_WEBHOOK_SECRET": "one-secret-1, two-secret-2",
        "SSH_AUTH_SOCK": "/tmp/ssh/agent.1",
        "JAM_PRIVATE_KEY_FILE": "./app.pem",
        "AUTH_METHOD": "password",
        "XDG_SESSION_COOKIE": "yes",
        "GIT_AUTHOR_NAME": "Ada Lovelace",
        "GIT_AUTHOR_EMAIL": "ada@lovelace.example",
        "HTTP_AUTHORIZATION": "Basic dXNlcjpwYXNz",
        "PATH": "token-like-value-123",
        "INDEX": "https://me:pass%40word1@index.example/simple",
    }

    assert set(secrets_of(environment)) == {
        "abc-123-def",
        "Hunter2hunter2",
        "Basic dXNlcjpwYXNz",
        "one-secret-1, two-secret-2",
        "one-secret-1",
        "two-secret-2",
        "pass%40word1",
        "pass@word1",
    }
