/**
 * GET /desk/push-key: the public key with which a browser subscribes, `{"public_key": "…"}`; null where nothing is
 * pushed. Anybody may read it.
 */
export function getPushKey(): Promise<Response> {
  const public_key = (Deno.env.get("VAPID_PUBLIC_KEY") ?? "").trim() || null;
  return Promise.resolve(Response.json({ public_key }));
}
