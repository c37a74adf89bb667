import type { RequestContext } from "./app.ts";
import { ApiError } from "./errors.ts";

/**
 * Whether a request has `?dry_run=true`. Nothing is kept of such a request, nor of one that is wrong: a replay would
 * store it. Only the exact name and the two words are taken. Who means to try must not store by a spelling mistake.
 *
 * @throws ApiError BAD_REQUEST for another spelling of `dry_run`, for any value but `true` and `false`, and for two.
 */
export function isDryRun({ request, rejected }: Pick<RequestContext, "request" | "rejected">): boolean {
  if (!request.url.includes("?")) return false;
  const values: string[] = [];
  let problem: string | undefined;
  for (const [name, value] of new URL(request.url).searchParams) {
    if (name === "dry_run") values.push(value);
    else if (name.replace(/[-_]/g, "").toLowerCase() === "dryrun") problem = "write the parameter as dry_run";
  }
  if (values.length > 1) problem ??= "dry_run must be given once";
  const [value = "false"] = values;
  if (value !== "true" && value !== "false") problem ??= "dry_run must be true or false";
  if (problem === undefined && value === "false") return false;

  rejected.keepFrom(null);
  if (problem !== undefined) throw new ApiError("BAD_REQUEST", problem);
  return true;
}

/**
 * Refuses a dry run on a route that has none.
 *
 * @throws ApiError BAD_REQUEST with `?dry_run=true`, and as isDryRun() does.
 */
export function refuseDryRun(context: Pick<RequestContext, "request" | "rejected">): void {
  if (isDryRun(context)) throw new ApiError("BAD_REQUEST", "dry_run: this path has no dry run");
}
