import { callDatabase } from "../_shared/database.ts";
import type { Job, RunContext } from "../_shared/jobs.ts";
import { logError } from "../_shared/log.ts";
import { urlFromEnv } from "./dispatches/settings.ts";

/** The timeout of the monitor's response in milliseconds. */
const TIMEOUT_MS = 5_000;

/** Notifies the monitor of `ALERT_HEARTBEAT_URL` that alerts are checked. The item is its URL. */
export function heartbeat({ requestId }: RunContext): Job<string> {
  const url = urlFromEnv("ALERT_HEARTBEAT_URL");
  return {
    atOnce: 1,
    async claim() {
      const isDue: boolean = await callDatabase("claim_heartbeat", { has_heartbeat: url !== null });
      return { items: isDue ? [url!] : [] };
    },
    async handle(url) {
      const code = await ping(url);
      if (code !== null) logError({ request_id: requestId, event: "heartbeat_failed", error_code: code });
      return { state: null };
    },
    idsOf: () => ({}),
  };
}

/** Returns what is wrong with the monitor's response, such as `HTTP 500`; null if nothing is. */
async function ping(url: string): Promise<string | null> {
  try {
    const response = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MS) });
    response.body?.cancel().catch(() => {});
    return response.ok ? null : `HTTP ${response.status}`;
  } catch {
    return "no_response";
  }
}
