import { rmSync } from "node:fs";
import { join } from "node:path";

/** Held by the one process that may use a data folder. */
export interface Lock {
  release(): void;
}

/**
 * Locks a data folder, which must exist; the file holds the holder's pid. The system frees the lock whatever way its
 * holder ends, and no process that the holder starts inherits it.
 *
 * @returns null while another process holds it
 */
export function lockDataDir(dataDir: string): Lock | null {
  const path = join(dataDir, "lock");
  for (;;) {
    const file = Deno.openSync(path, { create: true, read: true, write: true, mode: 0o600 });
    if (!file.tryLockSync(true)) {
      file.close();
      return null;
    }
    // The previous holder may have removed the file between its opening and its locking here: then it guards nothing.
    if (isSameFile(file, path)) {
      file.truncateSync();
      file.writeSync(new TextEncoder().encode(`${Deno.pid}\n`));
      return {
        release() {
          rmSync(path, { force: true });
          file.close();
        },
      };
    }
    file.close();
  }
}

function isSameFile(file: Deno.FsFile, path: string): boolean {
  try {
    return file.statSync().ino === Deno.statSync(path).ino;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
