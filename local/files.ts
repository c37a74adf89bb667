/** Writes a file that only its owner may read, at once or not at all. */
export function writeFileAtomically(path: string, text: string): void {
  const temporary = `${path}.${Deno.pid}`;
  Deno.writeTextFileSync(temporary, `${text}\n`, { mode: 0o600 });
  Deno.renameSync(temporary, path);
}

/** Removes a file or folder with all it holds; nothing there is fine too. */
export function removeIfThere(path: string): void {
  try {
    Deno.removeSync(path, { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
