import { fetchAsUser, type Result, supabase } from "./client.ts";
import { config } from "./config.ts";

/** The service ends a request after 150 s. A page that waits longer waits for a connection that is gone. */
const TIMEOUT_MS = 160_000;

/** Calls a route of the edge function `desk`. */
export async function post<Data>(route: string, body: object, cancelled?: AbortSignal): Promise<Result<Data>> {
  const { data: { session } } = await supabase.auth.getSession();
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await fetchAsUser(`${config.url}/functions/v1/desk/${route}`, {
      method: "POST",
      headers: {
        apikey: config.publishable_key,
        authorization: `Bearer ${session?.access_token}`,
        "content-type": "application/json",
      },
      body: JSON.stringify(body),
      signal: cancelled === undefined ? timeout : AbortSignal.any([timeout, cancelled]),
    });
    if (response.ok) return { data: await response.json(), error: null };
    const { error } = await response.json().catch(() => ({}));
    return { data: null, error: error ?? { message: `HTTP ${response.status}` }, status: response.status };
  } catch {
    return { data: null, error: { message: "" }, status: 0 };
  }
}
