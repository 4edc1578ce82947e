import assert from "node:assert/strict";
import { test } from "node:test";
import { isStillOwner, ownerOf } from "../../src/folders";

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

test("a server goes on when folders come and go that are not its own", () => {
  const [a, b, c] = ["file:///w/a", "file:///w/b", "file:///w/c"];
  const owner = (uri: string, folders: readonly string[]) => ownerOf(uri, folders) ?? assert.fail();
  assert.ok(isStillOwner(owner(`${a}/x.py`, [a]), [a]));
  assert.ok(!isStillOwner(owner(`${a}/x.py`, [a]), [a, b]), "with a second folder it has fewer documents");
  assert.ok(isStillOwner(owner(`${b}/x.py`, [a, b]), [a, b, c]));
  assert.ok(isStillOwner(owner(`${b}/x.py`, [a, c, b]), [a, b]));
  assert.ok(!isStillOwner(owner(`${b}/x.py`, [a, b]), [b, a]), "the first one has the texts without a file");
  assert.ok(!isStillOwner(owner(`${b}/x.py`, [a, b]), [a, c]));
  assert.ok(!isStillOwner(owner(`${b}/x.py`, [a, b]), [a, b, "file:///w"]), "an outer folder takes its documents");
  const loose = owner("file:///tmp/x.py", [a, b]);
  assert.ok(isStillOwner(loose, [a, b, c]) && !isStillOwner(loose, [a, b, "file:///tmp"]) && !isStillOwner(loose, [a]));
  assert.ok(isStillOwner(owner("file:///d%3A/x.py", [a, "file:///d%3A/"]), [a, "file:///d%3A/", b]));
});
