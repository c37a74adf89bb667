import { freePorts, postgrestPart } from "../local/mod.ts";
import type { BenchStack } from "./stacks.ts";

/**
 * Starts a PostgREST on the stack's database with the settings of the stack's own, which has no public address.
 *
 * @returns its address
 */
export async function startPostgrest(stack: BenchStack): Promise<string> {
  const [restPort, restAdminPort] = freePorts(2) as [number, number];
  const authenticator = new URL(stack.db_url);
  authenticator.username = "authenticator";
  const { command, args, env, isReady } = postgrestPart({
    authenticatorUrl: authenticator.href,
    jwtSecret: stack.jwt_secret,
    restPort,
    restAdminPort,
  });
  const child = new Deno.Command(command, { args, env, stdout: "null", stderr: "null" }).spawn();
  let isRunning = true;
  const ended = child.status.then(() => isRunning = false);
  stack.beforeStop(async () => {
    if (isRunning) child.kill("SIGTERM");
    await ended;
  });
  while (!await isReady().catch(() => false)) {
    if (!isRunning) throw new Error("PostgREST could not start");
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return `http://127.0.0.1:${restPort}`;
}
