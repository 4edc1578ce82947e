/** What the tests need of the module `vscode`: settings, trust, and extensions that they put there. */

export const settings = new Map<string, unknown>();
export const installed = new Map<string, unknown>();

export const workspace = {
  isTrusted: true,
  getConfiguration: (section: string) => ({
    get: <T>(name: string, otherwise: T): T => (settings.get(`${section}.${name}`) as T | undefined) ?? otherwise,
  }),
};

export const extensions = { getExtension: (name: string): unknown => installed.get(name) };

export class Disposable {
  constructor(readonly dispose: () => void) {}
}
