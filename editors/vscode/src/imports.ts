/** Whether a Python file is the language's: it imports ttl. */

const IMPORT =
  /^[ \t]*(?:from[ \t]+ttl(?:\.[\w.]+)?[ \t]+import\b|import[ \t]+(?:[\w.]+(?:[ \t]+as[ \t]+\w+)?[ \t]*,[ \t]*)*ttl(?:\.[\w.]+)?[ \t]*(?:$|[,;#\r]|as\b))/m;

export function importsTtl(text: string): boolean {
  return IMPORT.test(text);
}
