/** Which server a document belongs to: one for each folder of the workspace, since each may have a Python and settings of its own. */

export type Owner =
  /** The window has one folder, or none: one server for all documents, loose ones included. */
  | { readonly kind: "window"; readonly key: string }
  /** One of several folders, by its place among them. */
  | { readonly kind: "folder"; readonly key: string; readonly index: number }
  /** A document of none of several folders: a server for the directory that it lies in. */
  | { readonly kind: "loose"; readonly key: string };

/**
 * The owner of a document; undefined for what no server is for. All are URIs as VS Code writes them, which have drive letters in
 * lower case: `file:///c%3A/kernels`. A folder inside another one belongs to the outer one, so that no document has two servers.
 */
export function ownerOf(uri: string, folders: readonly string[]): Owner | undefined {
  const isUntitled = uri.startsWith("untitled:");
  if (!isUntitled && !uri.startsWith("file:")) return undefined;
  if (folders.length < 2) return { kind: "window", key: folders[0] ?? "" };
  if (isUntitled) return folderAt(folders, 0);
  const around = folders.map((folder, index) => ({ folder, index })).filter(({ folder }) => isBelow(uri, folder));
  const [outermost] = around.sort((a, b) => a.folder.length - b.folder.length);
  if (outermost !== undefined) return folderAt(folders, outermost.index);
  return { kind: "loose", key: uri.slice(0, uri.lastIndexOf("/")) };
}

/** Whether a server that was started for an owner is right for the documents that it has with these folders, too. */
export function isStillOwner(owner: Owner, folders: readonly string[]): boolean {
  if (owner.kind === "window") return folders.length < 2 && owner.key === (folders[0] ?? "");
  const now = ownerOf(`${owner.key.replace(/\/$/, "")}/any.py`, folders);
  if (now?.key !== owner.key) return false;
  // Texts without a file belong to the first folder.
  if (owner.kind === "folder") return now.kind === "folder" && (owner.index === 0) === (now.index === 0);
  return now.kind === "loose";
}

function folderAt(folders: readonly string[], index: number): Owner {
  return { kind: "folder", key: folders[index] ?? "", index };
}

function isBelow(uri: string, folder: string): boolean {
  return uri.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}
