"""
What runs inside the jail for the file tools: POSIX shell and coreutils, nothing that only one
project would bring. A path arrives as an argument, never as part of a script.
"""

from __future__ import annotations

# How a script says what is in its way, told apart from any exit code of a tool within.
LINK, FOLDER, MISSING, SPECIAL, CLOSED = 97, 96, 95, 94, 93

# A name on the way that is a link could lead anywhere: to a frozen file, or out of the tree.
_NO_LINKS = f"""
rest=$1; at=.
while [ -n "$rest" ]; do
  case $rest in
    */*) part=${{rest%%/*}}; rest=${{rest#*/}};;
    *) part=$rest; rest=;;
  esac
  at=$at/$part
  if [ -L "$at" ]; then [ -n "$rest" ] || [ "$2" != delete ] && exit {LINK}; fi
done
"""
# The first line is the size, the rest the bytes themselves, as text that no decoding can hurt.
READ = f"""
if [ -d "./$1" ]; then exit {FOLDER}; fi
if [ ! -e "./$1" ]; then exit {MISSING}; fi
if [ ! -f "./$1" ]; then exit {SPECIAL}; fi
if [ ! -r "./$1" ]; then exit {CLOSED}; fi
wc -c < "./$1" && head -c "$2" < "./$1" | base64
"""
LIST = """
cd -- "./$1" && find . -maxdepth 2 -not -path './.git/*' -not -name . | sed 's|^\\./||' | sort
"""
WRITE = f"""
{_NO_LINKS}
if [ -d "./$1" ]; then exit {FOLDER}; fi
if [ -e "./$1" ] && [ ! -f "./$1" ]; then exit {SPECIAL}; fi
folder=$(dirname -- "./$1") && mkdir -p -- "$folder" && cat > "./$1"
"""
DELETE = f"""
set -- "$1" delete
{_NO_LINKS}
if [ ! -e "./$1" ] && [ ! -L "./$1" ]; then exit {MISSING}; fi
rm -r -- "./$1"
"""
# git's own search leaves out what is ignored; where there is no git, or it will not, grep does.
SEARCH = """
if command -v git > /dev/null 2>&1; then
  git grep --no-index --exclude-standard --no-color -InE -e "$1" -- "./$2" 2>&1
  code=$?
  if [ "$code" -le 1 ]; then exit "$code"; fi
fi
exec grep -rnIE --exclude-dir=.git -e "$1" -- "./$2"
"""
SHELL = """
if command -v bash > /dev/null 2>&1; then exec bash -c "$1"; fi
exec sh -c "$1"
"""
