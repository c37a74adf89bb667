import { config } from "./config.ts";

export type Activity = {
  lead_id: string;
  /** The lead's agent, also when a manager presents. */
  agent_id: string;
  type: "presentation_started" | "presentation_resumed" | "presentation_paused";
};

// The key stands in the address, because sendBeacon cannot set headers.
const address = `${config.url}/functions/v1/api/leads/log-presentation-activity` +
  `?apikey=${encodeURIComponent(config.publishableKey)}`;

/** Logs an activity. When the network or the service fails it is sent again; by its key it is stored once. */
export async function logActivity(activity: Activity): Promise<void> {
  const request: RequestInit = {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": crypto.randomUUID() },
    body: JSON.stringify(activity),
    // Goes on when the window is closed meanwhile.
    keepalive: true,
  };
  for (let attempt = 1; attempt <= 4; attempt++) {
    const status = await fetch(address, request).then((response) => response.status, () => 0);
    const mayPass = status === 0 || status === 409 || status === 429 || status >= 500;
    if (!mayPass) return;
    await new Promise((resolve) => setTimeout(resolve, 500 * 2 ** attempt));
  }
}

/** Logs an activity of a window that may be gone in a moment, so nobody can wait for the response. */
export function logLastActivity(activity: Activity): void {
  // As text, which the browser sends at once; of JSON Blobs some are lost when the window closes.
  const body = JSON.stringify(activity);
  const isQueued = navigator.sendBeacon(address, body);
  if (!isQueued) fetch(address, { method: "POST", body, keepalive: true }).catch(() => {});
}

/**
 * Logs a presentation for as long as its window is open: started, or resumed when it was begun in an earlier window;
 * paused when the window is minimized, covered or closed; resumed when it is seen again.
 *
 * @returns what to call once the presentation is submitted: nothing more is logged then
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
  // Closing a window that is seen fires pagehide; pageshow comes when the browser's back button returns to it.
  addEventListener("pagehide", pause, { signal });
  addEventListener("pageshow", resume, { signal });

  return () => {
    submitted.abort();
    localStorage.removeItem(storageKey);
  };
}
