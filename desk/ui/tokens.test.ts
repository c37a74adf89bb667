import assert from "node:assert/strict";
import { join } from "node:path";

const DESK = join(import.meta.dirname!, "..");

const sheets = [...Deno.readDirSync(DESK)].flatMap(({ name, isDirectory }) =>
  isDirectory ? [...Deno.readDirSync(join(DESK, name))].map((file) => join(name, file.name)) : [name]
).filter((file) => file.endsWith(".css"));

/** A value that is a token's: a colour, the size of words, a radius or a shadow. */
const LITERALS = [
  /#[0-9a-f]{3,8}\b/,
  /\b(rgb|hsl|oklch|oklab|light-dark)a?\(/,
  /\b(background|color|border[a-z-]*|fill|stroke|outline)[^:;{}]*:[^;]*\b(white|black|gray|grey|red|green|blue|yellow)\b(?!-)/,
  /font(-size)?:[^;]*\d(px|rem|pt)\b/,
  /border(-[a-z]+){0,2}-radius:[^;]*(?<!- )\b[1-9]\d*(\.\d+)?(px|rem)\b/,
  /border(-[a-z]+){0,2}-radius:[^;]*\b0?\.\d+rem/,
  /box-shadow:[^;]*\brgb/,
];

function faultsOf(css: string): string[] {
  const statements = css.replace(/\/\*[^]*?\*\//g, "").split(/[;{}]/).map((statement) => statement.trim());
  return statements.filter((statement) =>
    !statement.startsWith("@") && LITERALS.some((literal) => literal.test(statement.replace(/calc\([^)]*\)\)*/g, "")))
  );
}

Deno.test("a colour, a size of words, a radius and a shadow stand in tokens.css alone", () => {
  for (
    const fault of ["color: #fff", "color: red", "font-size: 13px", "border-radius: 0.5rem", "font: 1rem/1.5 serif"]
  ) {
    assert.deepEqual(faultsOf(`a { ${fault}; }`), [fault]);
  }
  assert.deepEqual(faultsOf("a { color: var(--bad); border-radius: 50%; border-top-left-radius: 0 }"), []);
  assert(sheets.length > 5);
  for (const file of sheets.filter((file) => !file.endsWith("tokens.css"))) {
    assert.deepEqual(faultsOf(Deno.readTextFileSync(join(DESK, file))), [], file);
  }
});

Deno.test("each variable that a style sheet reads is set somewhere", () => {
  const css = sheets.map((file) => Deno.readTextFileSync(join(DESK, file))).join("\n");
  for (const [, name] of css.matchAll(/var\((--[a-z0-9-]+)\)/g)) assert.match(css, new RegExp(`\\s${name}: `));
});
