import { ROOT } from "../../local/mod.ts";

/** What was released under a tag of git, or nothing where there is none. */
export class Release {
  /** @param tag a tag or another name of a commit; null: there is no release, so that everything is new */
  constructor(readonly tag: string | null) {}

  /** The last one that differs from this checkout: a tag of the commit that is checked out is what would be deployed. */
  static last(): Release {
    const from = git("status", "--porcelain") ? "HEAD" : "HEAD^";
    return new Release(git("describe", "--tags", "--abbrev=0", "--match=v[0-9]*", from)?.trim() || null);
  }

  /** The release of this name, or null where git has no such commit. */
  static find(name: string): Release | null {
    return git("rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`) === null
      ? null
      : new Release(name);
  }

  /** The paths of its files below a folder, relative to the root of the checkout. */
  files(folder: string): string[] {
    return this.tag === null ? [] : paths(git("ls-tree", "-r", "-z", "--name-only", this.tag, "--", folder));
  }

  /** The text of a file, or an empty one where the release has no such file. */
  text(path: string): string {
    return this.tag === null ? "" : git("show", `${this.tag}:${path}`) ?? "";
  }

  /** The paths of all files that are new, gone or different in the checkout, as it is on the disk. */
  changedFiles(): Set<string> {
    const isNew = paths(git("ls-files", "--others", "--exclude-standard", "-z"));
    const differ = this.tag === null
      ? paths(git("ls-files", "-z"))
      : paths(git("diff", "--name-only", "--no-renames", "-z", this.tag, "--"));
    return new Set([...differ, ...isNew]);
  }
}

function paths(output: string | null): string[] {
  return (output ?? "").split("\0").filter(Boolean);
}

/** The output of a command of git; null where it fails, or where there is no git. */
function git(...args: string[]): string | null {
  try {
    const { success, stdout } = new Deno.Command("git", { args, cwd: ROOT, stderr: "null" }).outputSync();
    return success ? new TextDecoder().decode(stdout) : null;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}
