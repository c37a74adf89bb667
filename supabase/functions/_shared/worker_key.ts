import { ApiError } from "./errors.ts";
import { bearerToken, matchesSecret, secretsFromEnv } from "./secrets.ts";

/**
 * Requires TEXTING_WORKER_KEY, with which the scheduler calls the workers.
 *
 * @param realm the function's name
 * @throws ApiError UNAUTHORIZED without it.
 */
export function requireWorkerKey(request: Request, realm: string): void {
  if (matchesSecret(bearerToken(request) ?? "", secretsFromEnv("TEXTING_WORKER_KEY"))) return;
  throw new ApiError("UNAUTHORIZED", "send TEXTING_WORKER_KEY as `Authorization: Bearer`", {
    headers: { "WWW-Authenticate": `Bearer realm="${realm}"` },
  });
}
