/** Program text with its words coloured: enough for reading, by one expression for each language. */
import { h } from "../dom";

const PYTHON = /(#.*$)|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|\b(def|for|in|if|else|elif|while|with|as|return|import|from|class|lambda|not|and|or|None|True|False|yield|pass|break|continue|raise|try|except|finally|is|global|nonlocal|assert|del)\b|(@[\w.]+)|\b(\d[\d_.]*)\b/g;
const CPP = /(\/\/.*$|\/\*.*?\*\/)|("(?:[^"\\]|\\.)*")|\b(void|for|if|else|while|return|const|constexpr|uint32_t|int32_t|bool|float|auto|namespace|using|struct|static|inline|true|false|volatile|int|unsigned|do|switch|case|break)\b|^(\s*#\w+)|\b(0x[\da-fA-F]+|\d+)\b/g;
const CLASSES = ["comment", "string", "keyword", "decorator", "number"];

/** For every line of a Python text, whether it begins inside a string of three quotes: what it ends with. */
export function insideStrings(lines: readonly string[]): (string | null)[] {
  let open: string | null = null;
  return lines.map((line) => {
    const before = open;
    let at = 0;
    while (at < line.length) {
      if (open !== null) {
        const end = line.indexOf(open, at);
        if (end < 0) break;
        at = end + 3;
        open = null;
        continue;
      }
      // A comment, a string on this line, or the beginning of one of three quotes.
      const match: RegExpExecArray | null = /#|"""|'''|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/.exec(line.slice(at));
      if (match === null || match[0] === "#") break;
      if (match[0] === '"""' || match[0] === "'''") open = match[0];
      at += match.index + match[0].length;
    }
    return before;
  });
}

/** The words of one line as spans. */
export function coloured(text: string, language: "python" | "cpp"): (Node | string)[] {
  const result: (Node | string)[] = [];
  let at = 0;
  for (const match of text.matchAll(language === "python" ? PYTHON : CPP)) {
    const index = match.slice(1).findIndex((group) => group !== undefined);
    if (match.index > at) result.push(text.slice(at, match.index));
    result.push(h("span", { class: `w-${CLASSES[index]}` }, match[0]));
    at = match.index + match[0].length;
  }
  if (at < text.length) result.push(text.slice(at));
  return result;
}
