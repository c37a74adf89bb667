/** How long a function that was just deployed may take until it responds. */
const PATIENCE_MS = 60_000;

/**
 * Waits until each function responds.
 *
 * @param functionsUrl `{base_url}`
 * @throws {Error} naming the function that does not, and its last response
 */
export async function awaitFunctions(functionsUrl: string, names: string[]): Promise<void> {
  for (const name of names) {
    const url = `${functionsUrl}/${name}/openapi.json`;
    for (const deadline = Date.now() + PATIENCE_MS;;) {
      const response = await ask(url);
      if (response === "200") break;
      if (Date.now() > deadline) throw new Error(`GET ${url} gives ${response}`);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
    console.log(`  ${name.padEnd(12)} responds`);
  }
}

async function ask(url: string): Promise<string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(10_000) });
    await response.body?.cancel();
    return String(response.status);
  } catch (error) {
    return (error as Error).message;
  }
}
