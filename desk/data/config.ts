/** The content of `config.json` beside the page. All of it is public. */
export interface Config {
  /** Address of the Supabase project, such as https://abc.supabase.co. */
  url: string;
  /** The project's publishable key, or the older anon key. */
  publishable_key: string;
  /** The agency's own presentation, opened with ?lead_id=…&agent_id=…; unless set the desk's own. */
  presentation_url?: string;
}

/** The configuration that this page was opened with. */
export let config: Config;

/** Reads `config.json`. Throws an error that says what to mend. */
export async function readConfig(): Promise<Config> {
  const address = new URL("config.json", location.href).href;
  const response = await fetch(address, { cache: "no-cache" });
  if (!response.ok) throw new Error(`${address} cannot be read (HTTP ${response.status}). It belongs beside the page.`);
  const read: Partial<Config> = await response.json().catch(() => ({}));
  const { url, publishable_key } = read;
  if (typeof url !== "string" || !/^https?:/.test(url)) throw new Error(`${address} has no valid "url".`);
  if (typeof publishable_key !== "string" || publishable_key === "") {
    throw new Error(`${address} has no valid "publishable_key".`);
  }
  return config = read as Config;
}
