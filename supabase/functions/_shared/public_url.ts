/** The `{base_url}` that the world calls, without a slash at its end. */
export function publicFunctionsUrl(): string {
  return pastedUrl(Deno.env.get("PUBLIC_FUNCTIONS_URL") ?? "") ||
    `${pastedUrl(Deno.env.get("SUPABASE_URL") ?? "")}/functions/v1`;
}

/**
 * A URL of the project as the world calls it. A function may know the project by a name that only the platform has.
 * Where the functions have an address of their own that says nothing of the project's, the URL stays as it is.
 */
export function toPublicUrl(url: string): string {
  const internal = pastedUrl(Deno.env.get("SUPABASE_URL") ?? "");
  const [, world] = /^(.+)\/functions\/v1$/.exec(publicFunctionsUrl()) ?? [];
  return world !== undefined && url.startsWith(internal) ? world + url.slice(internal.length) : url;
}

/**
 * A URL without the spaces, quotes and slash that it easily gets when it is pasted into a dashboard or an .env file.
 */
export function pastedUrl(value: string): string {
  return value.replace(/^[\s"']+|[\s"'/]+$/g, "");
}
