import { AuthClient } from "@supabase/auth-js";
import { PostgrestClient } from "@supabase/postgrest-js";
import type { RealtimeClient } from "@supabase/realtime-js";
import type { StorageClient } from "@supabase/storage-js";
import type { Database } from "../../supabase/functions/_shared/database.types.ts";
import type { Config } from "./config.ts";

/**
 * The client of a Supabase project, from the parts of which `createClient` of supabase-js makes its own. That one has
 * all parts at once; here those for files and for events are loaded when they are first used.
 */
export class Project extends PostgrestClient<Database, { PostgrestVersion: "12" }> {
  readonly auth: InstanceType<typeof AuthClient>;
  readonly #config: Config;
  readonly #fetch: typeof fetch;
  #realtime: Promise<RealtimeClient> | undefined;

  /**
   * @param storageKey the key under which the browser keeps the session
   * @param fetch sends each request; those for the database and for files have the user's token
   */
  constructor(config: Config, storageKey: string, fetch: typeof globalThis.fetch) {
    const { url, publishable_key } = config;
    const fetchAsUser: typeof fetch = async (input, init) => {
      const headers = new Headers(init?.headers);
      headers.set("apikey", publishable_key);
      if (!headers.has("authorization")) headers.set("authorization", `Bearer ${await this.#token()}`);
      return await fetch(input, { ...init, headers });
    };
    // A connection that died while the machine slept would never answer.
    super(addressOf("rest", url), { fetch: fetchAsUser, timeout: 30_000 });
    this.#config = config;
    this.#fetch = fetchAsUser;
    this.auth = new AuthClient({
      url: addressOf("auth", url),
      headers: { apikey: publishable_key, Authorization: `Bearer ${publishable_key}` },
      storageKey,
      // The session of a link is used when somebody presses a button (session/link.ts).
      detectSessionInUrl: false,
      fetch,
    });
  }

  /** The files of a bucket. Throws an error with a sentence for the user. */
  async files(bucket: string): Promise<ReturnType<StorageClient["from"]>> {
    try {
      const { StorageClient } = await import("@supabase/storage-js");
      return new StorageClient(addressOf("storage", this.#config.url), {}, this.#fetch).from(bucket);
    } catch {
      throw new Error("The page cannot open files now. Check your network, or reload the page.");
    }
  }

  /** The connection on which events come, with the user's token of the moment. Throws where it cannot be loaded. */
  async realtime(): Promise<RealtimeClient> {
    const { RealtimeClient } = await import("@supabase/realtime-js");
    return await (this.#realtime ??= this.#makeRealtime(RealtimeClient).catch((error) => {
      this.#realtime = undefined;
      throw error;
    }));
  }

  async #makeRealtime(Client: typeof RealtimeClient): Promise<RealtimeClient> {
    const { url, publishable_key } = this.#config;
    const realtime = new Client(addressOf("realtime", url).replace(/^http/, "ws"), {
      params: { apikey: publishable_key },
      accessToken: () => this.#token(),
      fetch: this.#fetch,
    });
    this.auth.onAuthStateChange((event, session) => {
      if (event === "TOKEN_REFRESHED" || event === "SIGNED_IN") void realtime.setAuth(session!.access_token);
      if (event === "SIGNED_OUT") void realtime.setAuth();
    });
    // A topic that is joined without a token is refused, and joined again later.
    await realtime.setAuth(await this.#token());
    return realtime;
  }

  async #token(): Promise<string> {
    const { data: { session } } = await this.auth.getSession();
    return session?.access_token ?? this.#config.publishable_key;
  }
}

/** The address of a service of the project, which may stand below a path. */
function addressOf(service: string, url: string): string {
  return `${url.replace(/\/+$/, "")}/${service}/v1`;
}
