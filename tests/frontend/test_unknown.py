"""Host code that depends on what cannot be read: unknown stays unknown, whatever carries it; nothing is guessed.

Each program leaves ``n``. It is not known, or it is what Python makes of it (``KNOWN``).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ttl.frontend.host.program import HostProgram
from ttl.frontend.unknown import Unknown
from ttl.source.trees import source_file

PROGRAMS = {
    'length of a named tuple': 'from typing import NamedTuple\nclass P(NamedTuple):\n    a: int\n    b: int\nn=len(P(1,2))\n',
    'counter items': 'from collections import Counter\nn=0\nfor p,k in Counter([1,1,2]).items():\n    n+=k\n',
    'counter sympy': 'import sympy\nn=1\nfor p,k in sympy.factorint(12).items():\n    n*=p**k\n',
    'counter unknown': 'from collections import Counter\nimport os\nn=1\nfor p,k in Counter(os.listdir()).items():\n    n*=k\n',
    'while unknown': 'import os\nn=1\nwhile os.getpid()>n:\n    n+=1\n',
    'list append in loop': 'import os\nxs=[]\nfor f in os.listdir():\n    xs.append(f)\nn=len(xs)\n',
    'dict update in loop': 'import os\nxs={}\nfor f in os.listdir():\n    xs[f]=1\nn=len(xs)\n',
    'dict update of unknown': 'import os\nxs={}\nxs.update(os.environ)\nn=len(xs)\n',
    'append unknown': 'import os\nxs=[]\nxs.append(os.getpid())\nn=xs[0]\n',
    'append by another name': 'import os\nxs=[]\nadd=xs.append\nif os.getpid()>1:\n    add(1)\nn=len(xs)\n',
    'append unknown by another name': 'import os\nxs=[]\nadd=xs.append\nadd(os.getpid())\nn=len(xs)\n',
    'map of append': 'import os\nxs=[]\nif os.getpid()>1:\n    list(map(xs.append, [1]))\nn=len(xs)\n',
    'operator setitem': 'import os, operator\nxs=[1]\nif os.getpid()>1:\n    operator.setitem(xs, 0, 2)\nn=xs[0]\n',
    'append unknown len': 'import os\nxs=[]\nxs.append(os.getpid())\nn=len(xs)\n',
    'extend unknown': 'import os\nxs=[]\nxs.extend(os.listdir())\nn=len(xs)\n',
    'setdefault': 'import os\nd={}\nd.setdefault(os.getpid(), 1)\nn=len(d)\n',
    'set add': 'import os\ns=set()\ns.add(os.getpid())\nn=len(s)\n',
    'insert': 'import os\ns=[1]\ns.insert(os.getpid(), 2)\nn=s[0]\n',
    'pop unknown': 'import os\ns=[1,2]\ns.pop(os.getpid())\nn=len(s)\n',
    'sort key': 'import os\ns=[2,1]\ns.sort(key=os.fspath)\nn=s[0]\n',
    'sort lambda': 's=[2,1]\ns.sort(key=lambda v: -v)\nn=s[0]\n',
    'sort': 's=[2,1]\ns.sort()\nn=s[0]\n',
    'sum gen': 'import os\nn=sum(1 for f in os.listdir())\n',
    'any': 'import os\nn=any(f for f in os.listdir())\n',
    'any mixed': 'import os\nn=any([False, os.getpid()])\n',
    'all mixed': 'import os\nn=all([True, os.getpid()])\n',
    'max mixed': 'import os\nn=max(1, os.getpid())\n',
    'sum mixed': 'import os\nn=sum([1, os.getpid()])\n',
    'len comp': 'import os\nn=len([f for f in os.listdir()])\n',
    'comp filtered': 'import os\nn=len([f for f in range(4) if os.getpid()>f])\n',
    'dict comp': 'import os\nd={k:1 for k in os.listdir()}\nn=len(d)\n',
    'dict comp unknown key': 'import os\nd={os.getpid()+k:1 for k in range(3)}\nn=len(d)\n',
    'zip': 'import os\nn=0\nfor a,b in zip([1,2], os.listdir()):\n    n+=a\n',
    'map': 'import os\nn=list(map(len, os.listdir()))\n',
    'map list': 'import os\nn=len(list(map(os.fspath, [1,2])))\n',
    'filter': 'import os\nn=len(list(filter(os.path.exists, [1,2])))\n',
    'filter lambda': 'n=len(list(filter(lambda v: v>1, [1,2])))\n',
    'enumerate': 'import os\nn=0\nfor i,f in enumerate(os.listdir()):\n    n=i\n',
    'generator': 'def g():\n    yield 1\n    yield 2\nn=0\nfor v in g():\n    n+=v\n',
    'generator list': 'def g():\n    yield 1\nn=len(list(g()))\n',
    'generator effects': 'xs=[]\ndef g():\n    xs.append(1)\n    yield 1\nfor v in g(): pass\nn=len(xs)\n',
    'try': 'import os\nn=1\ntry:\n    n=os.getpid()\n    n=3\nexcept Exception:\n    n=2\n',
    'try partial': "import os\nn=1\ntry:\n    n=2\n    os.stat('x')\n    n=3\nexcept OSError:\n    pass\n",
    'with suppress': "import os, contextlib\nn=1\nwith contextlib.suppress(OSError):\n    os.stat('x')\n    n=2\n",
    'with suppress known': "import contextlib\nn=1\nwith contextlib.suppress(ValueError):\n    int('x')\n    n=2\n",
    'shuffle': 'import random\nxs=[1,2,3]\nrandom.shuffle(xs)\nn=xs[0]\n',
    'heap': 'import heapq\nxs=[3,2,1]\nheapq.heapify(xs)\nn=xs[0]\n',
    'unknown call mutates': 'from somewhere import fill\nxs=[]\nfill(xs)\nn=len(xs)\n',
    'unknown call mutates obj': 'from somewhere import fill\nclass C: pass\nc=C()\nc.n=1\nfill(c)\nn=c.n\n',
    'unknown call dict': "from somewhere import fill\nd={'a':1}\nfill(**d)\nfill(d)\nn=d['a']\n",
    'deque': 'from collections import deque\nd=deque([1,2])\nd.append(3)\nn=len(d)\n',
    'defaultdict': "from collections import defaultdict\nd=defaultdict(int)\nd['a']+=1\nn=d['a']\n",
    'defaultdict list': "from collections import defaultdict\nd=defaultdict(list)\nd['a'].append(1)\nn=len(d['a'])\n",
    'long loop': 'xs=[]\nfor i in range(400):\n    xs.append(i)\nn=len(xs)\n',
    'long while': 'xs=[]\ni=0\nwhile i<400:\n    xs.append(i)\n    i+=1\nn=len(xs)\n',
    'aug unknown': 'import os\nxs=[1]\nxs+=os.listdir()\nn=len(xs)\n',
    'slice assign': 'import os\nxs=[1,2]\nxs[0:1]=os.listdir()\nn=len(xs)\n',
    'del unknown': 'import os\nxs=[1,2]\ndel xs[os.getpid()]\nn=len(xs)\n',
    'del attr': "class C: pass\nc=C()\nc.n=1\ndel c.n\nn=getattr(c,'n',5)\n",
    'global in function': 'import os\nn=1\ndef f():\n    global n\n    n=os.getpid()\nf()\n',
    'global in maybe': 'import os\nn=1\ndef f():\n    global n\n    n=2\nif os.getpid(): f()\n',
    'lambda maybe': 'import os\nxs=[]\nos.getpid() and xs.append(1)\nn=len(xs)\n',
    'or': 'import os\nn=os.getpid() or 1\n',
    'callback': 'import atexit\nn=1\ndef f():\n    global n\n    n=2\nfrom somewhere import call\ncall(f)\n',
    'callback list': 'xs=[]\ndef f():\n    xs.append(1)\nfrom somewhere import call\ncall(f)\nn=len(xs)\n',
    'map effects': 'xs=[]\nlist(map(lambda v: xs.append(v), [1,2]))\nn=len(xs)\n',
    'sorted key': 'n=sorted([1,2], key=lambda v:-v)[0]\n',
    'min key': 'n=min([1,2], key=lambda v:-v)\n',
    'match': 'import os\nn=1\nmatch os.getpid():\n    case 3:\n        n=2\n    case _:\n        n=3\n',
    'chained': 'import os\nn=1\nif 0 < os.getpid() < 3: n=2\n',
    'walrus comp': 'import os\nlast=0\nys=[last:=v for v in os.listdir()]\nn=last\n',
    'counter most_common': 'from collections import Counter\nn=Counter([1,1,2]).most_common(1)[0][0]\n',
    'reduce': 'import functools\nn=functools.reduce(lambda a,b:a*b,[1,2,3])\n',
    'class attr': 'import os\nclass C:\n    n=1\n    for f in os.listdir():\n        n+=1\nn=C.n\n',
    'iter next': 'it=iter([1,2,3])\nnext(it)\nn=next(it)\n',
    'iter in maybe': 'import os\nit=iter([1,2,3])\nif os.getpid(): next(it)\nn=next(it)\n',
    'str of unknown': "import os\nn=len(f'{os.getpid()}')\n",
    'isinstance': 'import os\nn=isinstance(os.getpid(), int)\n',
    'is None': "import os\nn=os.environ.get('x') is None\n",
    'not in': "import os\nn='x' in [os.getpid()]\n",
    'eq list': 'import os\nn=[os.getpid()]==[1]\n',
    'count': 'import os\nn=[os.getpid(),1].count(1)\n',
    'try else': "import os\nn=1\ntry:\n    x=os.stat('x')\nexcept OSError:\n    n=2\nelse:\n    n=3\n",
    'for else': 'import os\nn=1\nfor f in os.listdir():\n    if f: break\nelse:\n    n=2\n',
    'dict items alias': "import os\nd={'a':[1]}\nd['a'].extend(os.listdir())\nn=len(d['a'])\n",
    'copy of blurred': 'import os\nxs=[]\nfor f in os.listdir(): xs.append(f)\nys=xs+[1]\nn=len(ys)\n',
    'tuple of blurred': 'import os\nxs=[]\nfor f in os.listdir(): xs.append(f)\nt=(xs,1)\nn=len(t[0])\n',
    'star of blurred': 'import os\nxs=[]\nfor f in os.listdir(): xs.append(f)\nys=[*xs,1]\nn=len(ys)\n',
}  # fmt: skip
KNOWN: dict[str, Any] = {
    'counter items': 3,
    'sort': 1,
    'sort lambda': 2,
    'filter lambda': 1,
    'deque': 3,
    'defaultdict': 1,
    'defaultdict list': 1,
    'long loop': 400,
    'long while': 400,
    'map effects': 2,
    'sorted key': 2,
    'min key': 2,
    'length of a named tuple': 2,
    'reduce': 6,
    'iter next': 2,
    'del attr': 5,
}  # fmt: skip


def value_of_n(folder: Path, text: str) -> Any:
    """What ``n`` is in the end; ``Unknown`` where nothing is known of it."""
    path = folder / "host.py"
    path.write_text(text)
    file = source_file(str(path))
    assert file is not None
    reader = HostProgram(str(path), lambda launch: None, 100_000)
    reader.read_program(file)
    found = reader.modules.read[str(path)].__dict__["n"]
    return Unknown if type(found) is Unknown or id(found) in reader.courses.blurred else found


@pytest.mark.parametrize("name", PROGRAMS)
def test_nothing_is_guessed(name: str, tmp_path: Path) -> None:
    found = value_of_n(tmp_path, PROGRAMS[name])
    assert found is Unknown or found == KNOWN.get(name, Unknown)


ITERATED = {
    "z = zip([1, 2], [3, 4])\na = list(z)\nn = len(list(z))\n": 0,
    "z = map(str, [1, 2, 3])\nnext(z)\nn = len(list(z))\n": 2,
    "z = (x for x in [1, 2])\nn = sum(z) + sum(z)\n": 3,
    "z = enumerate(range(3))\nfor i, x in z:\n    if x == 1:\n        break\nn = len(list(z))\n": Unknown,
    "z = iter([1, 2])\nif C:\n    next(z)\nn = len(list(z))\n": Unknown,
    "z = reversed([1, 2, 3])\nn = max(z)\n": 3,
}


@pytest.mark.parametrize("program", ITERATED)
def test_an_iterator_is_used_up(program: str, tmp_path: Path) -> None:
    program = f"import sys\nC = len(sys.modules) > 3\n{program}"
    assert value_of_n(tmp_path, program) == ITERATED[program.partition("3\n")[2]]
