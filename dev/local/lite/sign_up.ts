/**
 * Takes from a request for a login by e-mail that it may make a user. `@supabase/lite` would let it, also where nobody
 * may sign up; Supabase Auth does not.
 */
export async function withoutSignUp(request: Request): Promise<Request> {
  const isLogin = new URL(request.url).pathname === "/auth/v1/otp" && request.method === "POST";
  if (!isLogin) return request;
  const body = await request.json().catch(() => null);
  const headers = new Headers(request.headers);
  headers.delete("content-length");
  return new Request(request.url, {
    method: "POST",
    headers,
    body: JSON.stringify({ ...body, create_user: false }),
  });
}
