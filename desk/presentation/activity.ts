import { config } from "../data/config.ts";

export type Activity = {
  lead_id: string;
  /** The lead's agent, also when a manager presents. */
  agent_id: string;
  type: "presentation_started" | "presentation_resumed" | "presentation_paused";
};

// The key stands in the address, because sendBeacon cannot set headers.
const address = () =>
  `${config.url}/functions/v1/api/leads/log-presentation-activity?apikey=${encodeURIComponent(config.publishable_key)}`;

/** Logs an activity. Sends it again when the network or the service fails; the key makes sure it is stored once. */
export async function logActivity(activity: Activity): Promise<void> {
  const request: RequestInit = {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": crypto.randomUUID() },
    body: JSON.stringify(activity),
    // The request goes on when the window is closed meanwhile.
    keepalive: true,
  };
  for (let attempt = 1; attempt <= 4; attempt++) {
    const status = await fetch(address(), request).then((response) => response.status, () => 0);
    const mayPass = [0, 408, 409, 429].includes(status) || status >= 500;
    if (!mayPass) return;
    await new Promise((resolve) => setTimeout(resolve, 500 * 2 ** attempt));
  }
}

/** Logs an activity of a window that may close at any moment, so that nothing can wait for the response. */
function logLastActivity(activity: Activity): void {
  // A text and not a JSON Blob: the browser loses some Blobs when the window closes.
  const body = JSON.stringify(activity);
  const isQueued = navigator.sendBeacon(address(), body);
  if (!isQueued) fetch(address(), { method: "POST", body, keepalive: true }).catch(() => {});
}

/**
 * Logs a presentation while its window is open. Opening the window logs a start, or a return when the presentation was
 * started in an earlier window. Minimising, covering or closing it logs a pause, and showing it again logs a return.
 *
 * @returns a function that ends the log; call it when the presentation is submitted
 */
export function logPresentation(lead_id: string, agent_id: string): () => void {
  const storageKey = `presentation in progress: ${lead_id}`;
  const isReturn = localStorage.getItem(storageKey) !== null;
  const submitted = new AbortController();
  let isPaused = false;

  function pause() {
    if (isPaused) return;
    isPaused = true;
    logLastActivity({ lead_id, agent_id, type: "presentation_paused" });
  }
  function resume() {
    if (!isPaused) return;
    isPaused = false;
    logActivity({ lead_id, agent_id, type: "presentation_resumed" });
  }

  logActivity({
    lead_id,
    agent_id,
    type: isReturn ? "presentation_resumed" : "presentation_started",
  });
  localStorage.setItem(storageKey, new Date().toISOString());
  const { signal } = submitted;
  document.addEventListener(
    "visibilitychange",
    () => document.visibilityState === "hidden" ? pause() : resume(),
    { signal },
  );
  // A visible window that closes fires pagehide. The browser's back button returns to a page with pageshow.
  addEventListener("pagehide", pause, { signal });
  addEventListener("pageshow", resume, { signal });

  return () => {
    submitted.abort();
    localStorage.removeItem(storageKey);
  };
}
