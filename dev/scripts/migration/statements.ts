/** One statement of a file, and the line on which it begins. */
export interface Statement {
  text: string;
  /** From 1. */
  line: number;
}

// Everything within which a semicolon ends no statement: comments, strings, quoted names, dollar-quoted texts.
const TOKEN =
  /--[^\n]*|\/\*[^]*?\*\/|\b[eE]'(?:\\[^]|''|[^'\\])*'|'(?:''|[^'])*'|"(?:""|[^"])*"|(\$\w*\$)[^]*?\1|[^]/g;

/** Splits a file of SQL, so that an error can be told with its line. */
export function splitStatements(sql: string): Statement[] {
  const statements: Statement[] = [];
  let line = 1;
  let text = "";
  let startLine = 0;
  for (const [token] of sql.matchAll(TOKEN)) {
    const isContent = token.trim() !== "" && !token.startsWith("--") && !token.startsWith("/*");
    if (isContent && token !== ";" && startLine === 0) {
      startLine = line;
      text = "";
    }
    if (token !== ";") {
      text += token;
    } else if (startLine > 0) {
      statements.push({ text, line: startLine });
      startLine = 0;
    }
    line += token.split("\n").length - 1;
  }
  if (startLine > 0) statements.push({ text: text.trimEnd(), line: startLine });
  return statements;
}
