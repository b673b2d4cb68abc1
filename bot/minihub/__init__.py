"""
A small GitHub on loopback: REST, GraphQL's two mutations, git over HTTP, signed webhooks, pages.

It decides what GitHub would answer and knows nothing of jam. ``bot.minihub.minihub.Minihub`` starts
one in a thread; ``bot.minihub.routes.ROUTES`` lists every call that it knows.
"""

from __future__ import annotations
