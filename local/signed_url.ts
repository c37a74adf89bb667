/**
 * Turns the response of `@supabase/lite` to the signing of a URL into that of Supabase Storage, which supabase-js reads:
 * `{signedURL: "/object/sign/…"}` instead of `{signedUrl: "/storage/v1/object/sign/…"}`.
 */
export async function signedUrlResponse(response: Response): Promise<Response> {
  if (!response.ok) return response;
  const { signedUrl } = await response.json();
  return Response.json({ signedURL: signedUrl.replace(/^\/storage\/v1/, "") });
}
