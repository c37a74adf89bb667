/**
 * The path and query of a request with its dot segments resolved, whatever way they are written. So a request goes to
 * the service that its path really names.
 *
 * @param url as `Deno.serve` gives it, which is what the caller sent
 * @returns null where a service may still find a dot segment by decoding, as in `/auth/v1/..%2f`
 */
export function safePath(url: string): string | null {
  const sent = url.slice(url.indexOf("/", url.indexOf("://") + 3));
  // The host is left out: a caller may send any.
  const address = `http://gateway${sent}`;
  if (!sent.startsWith("/") || !URL.canParse(address)) return null;
  const { href, origin, hash, pathname } = new URL(address);
  const decoded = decodeFully(pathname);
  if (decoded === null || /(^|[/\\])\.\.?([/\\]|$)/.test(decoded)) return null;
  return href.slice(origin.length, href.length - hash.length);
}

/** Decodes as often as a chain of services might; null when even that is not enough. */
function decodeFully(path: string): string | null {
  let decoded = path;
  for (let round = 0; round < 4; round++) {
    const last = decoded;
    decoded = last.replace(/%([0-7][0-9a-f])/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
    if (decoded === last) return decoded;
  }
  return null;
}
