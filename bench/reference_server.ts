import { fileURLToPath } from "node:url";
import type { Agency } from "./agency.ts";
import type { BenchStack } from "./stacks.ts";

/**
 * Starts the server of reference.js for leads of this agency.
 *
 * @returns its address
 */
export async function startReferenceServer(stack: BenchStack, agency: Agency): Promise<string> {
  const { agencyId, agentId } = agency;
  const script = fileURLToPath(new URL("reference.js", import.meta.url));
  const child = new Deno.Command("node", {
    args: [script, stack.db_url, JSON.stringify({ agencyId, agentId })],
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const reader = child.stdout.getReader();
  stack.beforeStop(async () => {
    await child.stdin.close();
    await reader.cancel();
    await child.status;
  });
  const { value } = await reader.read();
  if (!value) throw new Error("the reference server could not start");
  return new TextDecoder().decode(value).trim();
}
