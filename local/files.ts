/** Writes a file that only its owner may read, whole or not at all. */
export function writeFileAtomically(path: string, text: string): void {
  const temporary = `${path}.${Deno.pid}`;
  Deno.writeTextFileSync(temporary, `${text}\n`, { mode: 0o600 });
  Deno.renameSync(temporary, path);
}
