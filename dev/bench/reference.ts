import { fileURLToPath } from "node:url";
import type { Agency } from "./agency.ts";
import { startServer } from "./probe.ts";
import type { OwnStack } from "./stacks.ts";

/** Starts the server of reference.js for leads of this agency, and returns its address. */
export async function startReference(
  stack: OwnStack,
  { agencyId, agentId }: Agency,
): Promise<string> {
  const script = fileURLToPath(new URL("reference.js", import.meta.url));
  const target = JSON.stringify({ agencyId, agentId });
  const { printed, stop } = await startServer("node", [script, stack.db_url, target]);
  stack.beforeStop(stop);
  return printed;
}
