type Body = Record<string, unknown> | null;

/** The bodies that `@supabase/lite` takes otherwise than Supabase Auth does, by path. */
const CHANGES: Record<string, (body: Body) => Body> = {
  // The package would make a user, also where nobody may sign up.
  "/auth/v1/otp": (body) => ({ ...body, create_user: false }),
  // The package does not know invitations: here their tokens are those of a forgotten password.
  "/auth/v1/verify": (body) => body?.type === "invite" ? { ...body, type: "recovery" } : body,
};

/** Changes a request so that `@supabase/lite` does what Supabase Auth would do. */
export async function adaptedRequest(request: Request): Promise<Request> {
  const change = CHANGES[new URL(request.url).pathname];
  if (change === undefined || request.method !== "POST") return request;
  const headers = new Headers(request.headers);
  headers.delete("content-length");
  const body = JSON.stringify(change(await request.json().catch(() => null)));
  return new Request(request.url, { method: "POST", headers, body });
}
