import assert from "node:assert/strict";
import { test } from "node:test";
import { ownerOf } from "../../src/folders";

test("a window with one folder, or none, has one server for all", () => {
  for (const folders of [[], ["file:///home/me/kernels"]]) {
    const owner = { kind: "window", key: folders[0] ?? "" };
    for (const uri of ["file:///home/me/kernels/a.py", "file:///elsewhere/b.py", "untitled:Untitled-1"]) assert.deepEqual(ownerOf(uri, folders), owner);
  }
  assert.equal(ownerOf("git:/home/me/kernels/a.py", []), undefined);
  assert.equal(ownerOf("vscode-notebook-cell:/a.ipynb", []), undefined);
});

test("of several folders each has its own, and names that begin alike are others", () => {
  const folders = ["file:///home/me/a", "file:///home/me/ab"];
  assert.deepEqual(ownerOf("file:///home/me/ab/x.py", folders), { kind: "folder", key: folders[1], index: 1 });
  assert.deepEqual(ownerOf("file:///home/me/a/deep/x.py", folders), { kind: "folder", key: folders[0], index: 0 });
  assert.deepEqual(ownerOf("untitled:Untitled-1", folders), { kind: "folder", key: folders[0], index: 0 });
});

test("a folder inside another belongs to the outer one, in whichever order they are", () => {
  const [outer, inner] = ["file:///w/project", "file:///w/project/kernels"];
  for (const folders of [[outer, inner], [inner, outer]]) assert.equal(ownerOf("file:///w/project/kernels/x.py", folders)?.key, outer);
});

test("a document of no folder has a server for its directory", () => {
  const folders = ["file:///w/a", "file:///w/b"];
  assert.deepEqual(ownerOf("file:///tmp/x.py", folders), { kind: "loose", key: "file:///tmp" });
});

test("drives and shares of Windows", () => {
  const folders = ["file:///c%3A/kernels", "file:///d%3A/", "file://server/share/kernels"];
  assert.equal(ownerOf("file:///c%3A/kernels/a.py", folders)?.key, folders[0]);
  assert.equal(ownerOf("file:///d%3A/a.py", folders)?.key, folders[1]);
  assert.equal(ownerOf("file://server/share/kernels/a.py", folders)?.key, folders[2]);
  assert.deepEqual(ownerOf("file:///e%3A/a.py", folders), { kind: "loose", key: "file:///e%3A" });
});
