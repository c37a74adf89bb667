/** The milliseconds that a function may take after its deployment until it is healthy. */
const PATIENCE_MS = 60_000;

/**
 * Waits until each function says that it is healthy: it runs, reaches the database and finds its migrations there.
 *
 * @param functionsUrl `{base_url}`
 * @throws {Error} naming the function that does not, with its last response
 */
export async function awaitHealth(functionsUrl: string, names: string[]): Promise<void> {
  for (const name of names) {
    const url = `${functionsUrl}/${name}/health`;
    for (const deadline = Date.now() + PATIENCE_MS;;) {
      const fault = await findFault(url);
      if (fault === null) break;
      if (Date.now() > deadline) throw new Error(`GET ${url}: ${fault}`);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
    console.log(`  ${name.padEnd(12)} ok`);
  }
}

/** The fault of the response, or null. */
async function findFault(url: string): Promise<string | null> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(15_000) });
    const text = await response.text();
    return response.ok ? null : `HTTP ${response.status} ${text.slice(0, 300)}`;
  } catch (error) {
    return (error as Error).message;
  }
}
