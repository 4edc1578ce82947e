"""Neovim, headless, with the configuration of the guide: open a file, see the finding, type, apply the fix, hover."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "guides" / "editor.md"
BROKEN = ROOT / "examples" / "errors" / "operands_need_broadcast.py"
NVIM = shutil.which("nvim")

pytestmark = pytest.mark.skipif(NVIM is None, reason="no nvim: apt-get install neovim")

# What somebody does at the keyboard, and what is seen then, as JSON. Positions count from 0, as in Neovim.
SESSION = """
local function session()
local seen = {}
local function wait(what, condition)
  if not vim.wait(30000, condition, 20) then error("waited in vain for " .. what) end
end
local function findings()
  return vim.tbl_map(function(one)
    return { code = one.code, line = one.lnum, source = one.source, message = one.message }
  end, vim.diagnostic.get(0))
end
local function request(method, extra)
  local params = vim.tbl_extend("force", vim.lsp.util.make_position_params(0, "utf-16"), extra or {})
  for _, answer in pairs(vim.lsp.buf_request_sync(0, method, params, 30000) or {}) do
    if answer.error then error(vim.inspect(answer.error)) end
    if answer.result then return answer.result end
  end
end

wait("a finding", function() return #vim.diagnostic.get(0) > 0 end)
seen.opened = findings()

-- Two lines above: the finding goes along, before anything is saved.
local line = seen.opened[1].line
vim.api.nvim_buf_set_text(0, 0, 0, 0, 0, { "# one", "# two", "" })
wait("the finding two lines below", function()
  local now = vim.diagnostic.get(0)[1]
  return now ~= nil and now.lnum == line + 2
end)
seen.typed = findings()

local one = vim.diagnostic.get(0)[1]
vim.api.nvim_win_set_cursor(0, { one.lnum + 1, one.col })
local hover = request("textDocument/hover")
seen.hover = hover and (hover.contents.value or hover.contents)

-- What vim.lsp.buf.code_action() asks for, and applies to what is chosen.
local range = {
  start = { line = one.lnum, character = one.col },
  ["end"] = { line = one.end_lnum, character = one.end_col },
}
local actions = request("textDocument/codeAction", {
  range = range,
  context = { diagnostics = { {
    range = range, message = one.message, code = one.code, source = one.source, severity = one.severity,
    data = one.user_data.lsp.data,
  } } },
})
seen.actions = vim.tbl_map(function(action) return action.title end, actions or {})
for _, action in ipairs(actions or {}) do
  if action.kind == "quickfix" and action.edit then
    vim.lsp.util.apply_workspace_edit(action.edit, "utf-16")
    wait("no finding", function() return #vim.diagnostic.get(0) == 0 end)
    seen.fixed = vim.api.nvim_buf_get_lines(0, one.lnum, one.lnum + 1, false)[1]
    break
  end
end

vim.fn.writefile({ vim.fn.json_encode(seen) }, vim.env.TTL_SEEN)
vim.cmd("qall!")
end

local ended, problem = pcall(session)
if not ended then
  io.stderr:write(tostring(problem) .. "\\n")
  vim.cmd("cquit 1")
end
"""


def configuration(version: tuple[int, int]) -> str:
    """The block of the guide for a version of Neovim."""
    name = "nvim-0.11" if version >= (0, 11) else "nvim-0.7"
    block = re.search(
        rf"^```lua {re.escape(name)}\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"), re.M | re.S
    )
    assert block is not None
    return block[1]


def test_configurations_are_about_twenty_lines() -> None:
    for version in ((0, 7), (0, 11)):
        assert len(configuration(version).splitlines()) <= 25


def test_open_type_see_fix_hover(tmp_path: Path) -> None:
    assert NVIM is not None
    said = subprocess.run([NVIM, "--version"], capture_output=True, text=True, check=True).stdout
    number = re.match(r"NVIM v(\d+)\.(\d+)", said)
    assert number is not None
    config = tmp_path / "config" / "nvim"
    config.mkdir(parents=True)
    (config / "init.lua").write_text(configuration((int(number[1]), int(number[2]))), encoding="utf-8")
    (tmp_path / "session.lua").write_text(SESSION, encoding="utf-8")
    program = tmp_path / "work" / "add_bias.py"
    program.parent.mkdir()
    shutil.copy(BROKEN, program)
    (program.parent / "pyproject.toml").write_text("", encoding="utf-8")
    # `ttl` is a command on the path, as the guide says.
    commands = tmp_path / "bin"
    commands.mkdir()
    (commands / "ttl").write_text(f'#!/bin/sh\nexec {sys.executable} -P -m ttl "$@"\n', encoding="utf-8")
    (commands / "ttl").chmod(0o755)
    environment = os.environ | {
        "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}",
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "XDG_DATA_HOME": str(tmp_path / "share"),
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "TTL_SEEN": str(tmp_path / "seen.json"),
    }
    done = subprocess.run(
        [NVIM, "--headless", str(program), "-c", f"luafile {tmp_path / 'session.lua'}"],
        env=environment, capture_output=True, text=True, timeout=120, cwd=program.parent,
    )  # fmt: skip
    assert done.returncode == 0 and (tmp_path / "seen.json").exists(), done.stderr
    seen: dict[str, Any] = json.loads((tmp_path / "seen.json").read_text(encoding="utf-8"))
    (opened,), (typed,) = seen["opened"], seen["typed"]
    assert (opened["code"], opened["source"]) == ("TTL0405", "ttl")
    assert "blocks of different shapes" in opened["message"]
    assert typed == {**opened, "line": opened["line"] + 2}
    assert "(1, 4) tiles" in str(seen["hover"])
    assert any("broadcast" in title for title in seen["actions"])
    assert "ttl.block.broadcast(bias_blk, dims=[-1], shape=(1, 4))" in seen["fixed"]
