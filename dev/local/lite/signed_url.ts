/**
 * Turns the response of `@supabase/lite` below `/storage/v1/object/sign/` into that of Supabase Storage. To the signing
 * of a URL that is `{signedURL: "/object/sign/…"}` instead of `{signedUrl: "/storage/v1/object/sign/…"}`, as
 * supabase-js reads it. With `?download` the signed URL downloads the file and does not show it; `?download=<name>`
 * names it.
 */
export async function signedUrlResponse(request: Request, response: Response): Promise<Response> {
  if (!response.ok) return response;
  if (request.method === "POST") {
    const { signedUrl } = await response.json();
    return Response.json({ signedURL: signedUrl.replace(/^\/storage\/v1/, "") });
  }
  const name = new URL(request.url).searchParams.get("download");
  if (name !== null) {
    const fileName = name === "" ? "" : `; filename*=UTF-8''${encodeURIComponent(name)}`;
    response.headers.set("content-disposition", `attachment${fileName}`);
  }
  return response;
}
