/** Calls of the database that functions make in this process, held up or without their response. */
import assert from "node:assert/strict";

/**
 * Runs something while `onCall` is told before each call that stores leads how many it has. The call waits for what
 * that returns.
 */
export async function watchingLeadCalls<Result>(
  onCall: (leads: number) => unknown,
  run: () => Promise<Result>,
): Promise<Result> {
  return await withFetch(async (fetch, input, init) => {
    if (String(input).endsWith("/rpc/ingest_recruiting_leads")) {
      await onCall(JSON.parse(String(init!.body)).leads.length);
    }
    return await fetch(input, init);
  }, run);
}

/** Runs something. The first response of an SQL function is lost after that has been carried out. */
export async function losingResponseOf<Result>(
  sqlFunction: string,
  run: () => Promise<Result>,
): Promise<Result> {
  let lost = 0;
  const result = await withFetch(async (fetch, input, init) => {
    const response = await fetch(input, init);
    if (lost === 1 || !String(input).endsWith(`/rpc/${sqlFunction}`)) return response;
    lost++;
    await response.body?.cancel();
    throw new TypeError("the connection was closed");
  }, run);
  assert.equal(lost, 1);
  return result;
}

type Fetch = typeof globalThis.fetch;

/** Runs something while `send` stands in for `fetch`, which it gets. */
export async function withFetch<Result>(
  send: (fetch: Fetch, ...request: Parameters<Fetch>) => Promise<Response>,
  run: () => Promise<Result>,
): Promise<Result> {
  const realFetch = globalThis.fetch;
  globalThis.fetch = (...request) => send(realFetch, ...request);
  try {
    return await run();
  } finally {
    globalThis.fetch = realFetch;
  }
}
