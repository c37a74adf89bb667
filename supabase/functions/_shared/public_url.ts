/** The `{base_url}` that the world calls, without a slash at its end. */
export function publicFunctionsUrl(): string {
  return pastedUrl(Deno.env.get("PUBLIC_FUNCTIONS_URL") ?? "") ||
    `${pastedUrl(Deno.env.get("SUPABASE_URL") ?? "")}/functions/v1`;
}

/** The project's own URL as the world calls it: where the functions are, without their path. */
export function publicProjectUrl(): string {
  const functionsUrl = publicFunctionsUrl();
  return functionsUrl.endsWith("/functions/v1")
    ? functionsUrl.slice(0, -"/functions/v1".length)
    : pastedUrl(Deno.env.get("SUPABASE_URL") ?? "");
}

/** A URL without the spaces, quotes and slash that it easily gets when it is pasted into a dashboard or an .env file. */
export function pastedUrl(value: string): string {
  return value.replace(/^[\s"']+|[\s"'/]+$/g, "");
}
