import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { ROOT } from "../../local/mod.ts";

/** A package as package-lock.json has it. */
interface LockedPackage {
  version: string;
}

/**
 * An npm registry on loopback that has the installed packages in the versions of package-lock.json. With it a runtime
 * resolves `npm:` imports as it would from the public registry, and no test depends on the network.
 */
export class NpmRegistry {
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #folders = Map.groupBy(
    lockedFolders(),
    (folder) => folder.replace(/^.*node_modules\//, ""),
  );

  constructor() {
    this.#server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen() {} },
      async (request) => {
        const path = decodeURIComponent(new URL(request.url).pathname).slice(1);
        const tarball = /^-\/(.+)\.tgz$/.exec(path)?.[1];
        if (tarball !== undefined) return new Response(await pack(tarball));
        const folders = this.#folders.get(path);
        return folders ? Response.json(await this.#describe(path, folders)) : new Response(null, { status: 404 });
      },
    );
  }

  /** For NPM_CONFIG_REGISTRY. */
  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  stop(): Promise<void> {
    return this.#server.shutdown();
  }

  async #describe(name: string, folders: string[]): Promise<unknown> {
    const versions = await Promise.all(folders.map(async (folder) => {
      const manifest = JSON.parse(Deno.readTextFileSync(join(ROOT, folder, "package.json")));
      const shasum = createHash("sha1").update(await pack(folder)).digest("hex");
      const dist = { tarball: `${this.url}/-/${encodeURIComponent(folder)}.tgz`, shasum };
      return [manifest.version, { ...manifest, dist }] as const;
    }));
    return {
      name,
      "dist-tags": { latest: versions[0]![0] },
      versions: Object.fromEntries(versions),
    };
  }
}

/** The folders of all installed packages, relative to the checkout. */
function lockedFolders(): string[] {
  const { packages }: { packages: Record<string, LockedPackage> } = JSON.parse(
    Deno.readTextFileSync(join(ROOT, "package-lock.json")),
  );
  return Object.keys(packages).filter((folder) => folder !== "" && existsSync(join(ROOT, folder)));
}

const packed = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();

/** A package as a tarball. What no program runs is left out to save time. */
function pack(folder: string): Promise<Uint8Array<ArrayBuffer>> {
  let tarball = packed.get(folder);
  if (tarball === undefined) {
    const name = basename(folder);
    const unneeded = [`${name}/node_modules`, "*.map", "*.d.ts", "*.d.mts", "*.d.cts", "*.md"];
    const args = [
      "-c",
      "--use-compress-program=gzip -1",
      ...unneeded.map((pattern) => `--exclude=${pattern}`),
      ...["-C", join(ROOT, dirname(folder)), name],
    ];
    tarball = new Deno.Command("tar", { args }).output().then(({ stdout }) => stdout);
    packed.set(folder, tarball);
  }
  return tarball;
}
