import { rmSync } from "node:fs";
import { join } from "node:path";

/** The process that holds it is the only one that may use the data folder. */
export interface Lock {
  release(): void;
}

/**
 * Locks a data folder, which must exist. The file contains the pid of the holder. The operating system frees the lock
 * however the holder ends, and the holder's child processes do not inherit it: that is why this is no pid file alone.
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
    // The holder before may have removed the file after it was opened here. A lock on a removed file guards nothing.
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
