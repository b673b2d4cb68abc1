"""The pages' templates. Everything is escaped unless ``markdown`` rendered it."""

from __future__ import annotations

BASE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{% block title %}minihub{% endblock %}</title>
<style>
:root { color-scheme: light dark; --line: #8884; --soft: #8881; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem; }
a { color: #0969da; } @media (prefers-color-scheme: dark) { a { color: #58a6ff; } }
h1 { font-size: 1.5rem; line-height: 1.25; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; } h1 small { opacity: .6; font-weight: 400; }
.card { border: 1px solid var(--line); border-radius: 6px; margin: 1rem 0; }
.card > header { background: var(--soft); padding: .4rem .8rem; font-size: .9rem; }
.card > div { padding: .2rem .8rem; overflow-x: auto; }
.tag { border: 1px solid var(--line); border-radius: 1rem; padding: .05rem .6rem; }
.tag { font-size: .8rem; }
.success, .open { background: #1a7f3733; } .failure { background: #cf222e33; }
.closed, .merged { background: #8250df33; } .draft { background: #8883; }
.added { color: #1a7f37; } .removed { color: #cf222e; } .place { color: #8250df; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
.nowrap td { white-space: nowrap; } td, th { border: 1px solid var(--line); padding: .2rem .6rem; }
pre { background: var(--soft); padding: .6rem; overflow-x: auto; }
code { background: var(--soft); padding: 0 .2rem; } pre code { background: none; padding: 0; }
</style>
</head>
<body>
<nav><a href="/">minihub</a>{% if repo %} / <a href="/{{ repo.full_name }}">{{ repo.full_name }}</a>
{% endif %} · <a href="/deliveries">deliveries</a></nav>
{% block main %}{% endblock %}
</body>
</html>
"""
HOME = """{% extends "base.html" %}{% block main %}<h1>Repositories</h1><ul>
{% for each in repos %}<li><a href="/{{ each.full_name }}">{{ each.full_name }}</a></li>
{% else %}<li>none yet</li>{% endfor %}</ul>{% endblock %}
"""
REPO = """{% extends "base.html" %}{% block title %}{{ repo.full_name }}{% endblock %}
{% block main %}<h1>{{ repo.full_name }}</h1>
{% for kind in (false, true) %}<h2>{{ "Pull requests" if kind else "Issues" }}</h2><ul>
{% for each in repo.issues.values() if (each.pull is not none) == kind %}
{% set state = "merged" if kind and each.pull.merged_at else
"draft" if kind and each.pull.draft and each.state == "open" else each.state %}
<li><span class="tag {{ state }}">{{ state }}</span>
<a href="/{{ repo.full_name }}/{{ "pull" if kind else "issues" }}/{{ each.number }}">
#{{ each.number }} {{ each.title }}</a>
{% for label in each.labels %}<span class="tag">{{ label.name }}</span> {% endfor %}</li>
{% else %}<li>none</li>{% endfor %}</ul>{% endfor %}
<h2>References</h2><table class="nowrap">{% for name, sha in refs.items() %}
<tr><td>{{ name }}</td><td><code>{{ sha[:12] }}</code></td></tr>{% endfor %}</table>
{% endblock %}
"""
THREAD = """{% extends "base.html" %}
{% block title %}{{ issue.title }} · #{{ issue.number }}{% endblock %}
{% macro said(one, marks) %}<div class="card"><header><b>{{ one.user.login }}</b>
· {{ one.created_at }}{% for mark in marks %} · <span class="tag">{{ mark }}</span>{% endfor %}
</header><div>{{ one.body|markdown }}</div></div>{% endmacro %}
{% block main %}<h1>{{ issue.title }} <small>#{{ issue.number }}</small></h1>
<p>{% set state = "merged" if pull and pull.merged_at else
"draft" if pull and pull.draft and issue.state == "open" else issue.state %}
<span class="tag {{ state }}">{{ state }}</span>
{% for label in issue.labels %}<span class="tag">{{ label.name }}</span> {% endfor %}
{% if pull %}<b>{{ pull.head_owner.login }}:{{ pull.head_ref }}</b> into <b>{{ pull.base_ref }}</b>,
<code>{{ pull.head_sha[:12] }}</code>
· <a href="/{{ repo.full_name }}/pull/{{ issue.number }}/files">files</a>{% endif %}</p>
{{ said(issue, marks) }}
{% for each in issue.comments %}
{% set given = [] %}{% for one in each.reactions %}
{% do given.append(one.content ~ " by " ~ one.user.login) %}{% endfor %}
{{ said(each, given) }}{% endfor %}
{% if pull %}{% for each in pull.reviews %}<div class="card"><header><b>{{ each.user.login }}</b>
<span class="tag">{{ each.state }}</span></header><div>{{ each.body|markdown }}</div></div>
{% endfor %}<h2>Checks</h2><ul>{% for each in checks %}
<li><span class="tag {{ each.conclusion }}">{{ each.conclusion or each.status }}</span>
<a href="/{{ repo.full_name }}/runs/{{ each.id }}">{{ each.name }}</a> {{ each.title or "" }}</li>
{% else %}<li>none</li>{% endfor %}</ul>{% endif %}{% endblock %}
"""
FILES = """{% extends "base.html" %}{% block title %}Files of #{{ issue.number }}{% endblock %}
{% block main %}<h1>Files <small>#{{ issue.number }} {{ issue.title }}</small></h1>
{% for each in deltas %}<div class="card"><header><b>{{ each.path }}</b> · {{ each.status }}
· +{{ each.additions }} -{{ each.deletions }}</header>
<pre>{% for line in (each.patch or "no text to show").split("\n") %}
<span class="{{ {"+": "added", "-": "removed", "@": "place"}.get(line[:1], "") }}">{{ line }}</span>
{% endfor %}</pre></div>{% endfor %}{% endblock %}
"""
CHECK = """{% extends "base.html" %}{% block title %}{{ run.name }}{% endblock %}
{% block main %}<h1>{{ run.name }}
<span class="tag {{ run.conclusion }}">{{ run.conclusion or run.status }}</span></h1>
<p>on <code>{{ run.suite.head_sha[:12] }}</code></p><h2>{{ run.title or "" }}</h2>
{{ run.summary|markdown }}{{ run.text|markdown }}
{% if run.annotations %}<h2>Annotations</h2><ul>{% for each in run.annotations %}
<li><span class="tag">{{ each.annotation_level }}</span>
<code>{{ each.path }}:{{ each.start_line }}</code> {{ each.message }}</li>{% endfor %}</ul>
{% endif %}
{% endblock %}
"""
DELIVERIES = """{% extends "base.html" %}{% block title %}Deliveries{% endblock %}
{% block main %}<h1>Deliveries</h1><table class="nowrap">
<tr><th>event</th><th>to</th><th>answer</th><th>at</th><th>id</th></tr>
{% for each in deliveries %}<tr><td>{{ each.event }}
{%- if each.action %}.{{ each.action }}{% endif %}{% if each.redelivery %} again{% endif %}</td>
<td>{{ each.app.hook_url }}</td><td>{{ each.status_code }} {{ each.status }}</td>
<td>{{ each.delivered_at }}</td><td><code>{{ each.guid }}</code></td></tr>{% endfor %}</table>
{% endblock %}
"""
MISSING = """{% extends "base.html" %}{% block main %}<h1>Nothing here</h1>{% endblock %}
"""

TEMPLATES: dict[str, str] = {
    "base.html": BASE,
    "home.html": HOME,
    "repo.html": REPO,
    "thread.html": THREAD,
    "files.html": FILES,
    "check.html": CHECK,
    "deliveries.html": DELIVERIES,
    "missing.html": MISSING,
}
