import type { StorageClient as Storage } from "@supabase/storage-js";

/** What the page does with files. */
type Files = Pick<ReturnType<Storage["from"]>, "upload" | "createSignedUrl">;

/**
 * Stands for the client of Storage in supabase-js, which makes one at once: the real one is loaded with the first file.
 * `npm run desk` puts it there.
 */
export class StorageClient {
  readonly #given: ConstructorParameters<typeof Storage>;

  constructor(...given: ConstructorParameters<typeof Storage>) {
    this.#given = given;
  }

  from(bucket: string): Files {
    const files = async () => {
      try {
        const { StorageClient } = await import("@supabase/storage-js");
        return new StorageClient(...this.#given).from(bucket);
      } catch {
        throw new Error("The page cannot open files now. Check your network, or reload the page.");
      }
    };
    return {
      upload: async (...given) => (await files()).upload(...given),
      createSignedUrl: async (...given) => (await files()).createSignedUrl(...given),
    };
  }
}

/** supabase-js exports it, and the page does not use it. */
export class StorageApiError extends Error {}
