/** Returns the public `{base_url}`, without a trailing slash. */
export function publicFunctionsUrl(): string {
  return pastedUrl(Deno.env.get("PUBLIC_FUNCTIONS_URL") ?? "") ||
    `${pastedUrl(Deno.env.get("SUPABASE_URL") ?? "")}/functions/v1`;
}

/**
 * Returns the public form of a URL of the project. A function may reach the project by a name that only the platform
 * resolves. If the functions have their own address, which does not reveal the project's, the URL is unchanged.
 */
export function toPublicUrl(url: string): string {
  const internal = pastedUrl(Deno.env.get("SUPABASE_URL") ?? "");
  const [, world] = /^(.+)\/functions\/v1$/.exec(publicFunctionsUrl()) ?? [];
  return world !== undefined && url.startsWith(internal) ? world + url.slice(internal.length) : url;
}

/**
 * Returns a URL without the spaces, quotes and trailing slash that are often pasted with it.
 */
export function pastedUrl(value: string): string {
  return value.replace(/^[\s"']+|[\s"'/]+$/g, "");
}
