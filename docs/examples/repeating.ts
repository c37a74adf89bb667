/** What a call of supabase-js resolves to. */
type Result<Data> = { data: Data; error: null } | { data: null; error: Error; status: number };

/**
 * Makes a call, and makes it again when the network or the service fails. Only for calls that may be repeated.
 *
 * @throws {PostgrestError} when the call is refused, or fails for the fourth time
 */
export async function repeat<Data>(call: () => PromiseLike<Result<Data>>): Promise<Data> {
  for (let attempt = 1;; attempt++) {
    const result = await call();
    if (result.error === null) return result.data;
    // The status is 0 when no response came.
    const mayPass = result.status === 0 || result.status === 429 || result.status >= 500;
    if (!mayPass || attempt === 4) throw result.error;
    await new Promise((resolve) => setTimeout(resolve, 500 * 2 ** attempt));
  }
}
