/** Ends the processes of a launcher that is killed and cannot end them itself: guard.ts <data folder> */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { endLeftovers } from "./leftovers.ts";

const [dataDir] = Deno.args as [string];
// The launcher holds the other end open as long as it lives, and writes nothing.
await new Response(Deno.stdin.readable).arrayBuffer();
rmSync(join(dataDir, "stack.json"), { force: true });
await endLeftovers(dataDir);
