/** Writes a file that only its owner may read, whole or not at all. */
export function writeFileAtomically(path: string, text: string): void {
  const temporary = `${path}.${Deno.pid}`;
  Deno.writeTextFileSync(temporary, `${text}\n`, { mode: 0o600 });
  Deno.renameSync(temporary, path);
}

/**
 * Makes a folder that only its owner may enter, or makes one so that was there already.
 *
 * @throws {Error} when it is not the caller's to close, because other users need it
 */
export function makePrivateFolder(path: string): void {
  Deno.mkdirSync(path, { recursive: true, mode: 0o700 });
  const { mode, uid } = Deno.statSync(path);
  const isOthers = Deno.uid() !== 0 && uid !== Deno.uid();
  // The sticky bit is on folders that all users share, such as /tmp.
  if (isOthers || mode! & 0o1000) {
    throw new Error(`${path} is shared with other users. Choose a folder of your own: --data-dir`);
  }
  Deno.chmodSync(path, 0o700);
}
