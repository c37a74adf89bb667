/**
 * Control characters, which could move the cursor or colour the terminal, and what is drawn as nothing or changes the
 * direction: an applicant's name or text may hold any. `private.visible_text` in the database has the same.
 */
const INVISIBLE = /[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/gu;

/** A text for a terminal: without invisible characters, but with its line breaks and tabs. */
export function visibleText(text: string): string {
  return text.replace(INVISIBLE, (character) => "\n\t".includes(character) ? character : "");
}

/** JSON for a terminal or a program: with the escapes of invisible characters, so that it means the same. */
export function visibleJson(data: unknown): string {
  return JSON.stringify(data, null, 2).replace(
    INVISIBLE,
    (character) => character === "\n" ? character : character.split("").map(escape).join(""),
  );
}

function escape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
