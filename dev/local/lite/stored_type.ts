import type postgres from "postgres";

/** A path by which a file is read: of the bucket's own, or by a signed URL. */
const FILE_PATH = /^\/storage\/v1\/object\/(?:sign\/|authenticated\/|public\/)?([^/]+)\/(.+)$/;

/**
 * Gives the response with a file the type under which it was stored, as Supabase Storage does. `@supabase/lite` goes by
 * the ending of its name, and knows few.
 */
export async function withStoredType(
  request: Request,
  response: Response,
  sql: postgres.Sql,
): Promise<Response> {
  const [, bucket, path] = FILE_PATH.exec(new URL(request.url).pathname) ?? [];
  if (request.method !== "GET" || !response.ok || path === undefined) return response;
  // The package keeps the metadata as a JSON text inside jsonb.
  const [file] = await sql`
    select (metadata #>> '{}')::jsonb ->> 'mimetype' as type
    from storage.objects where bucket_id = ${bucket!} and name = ${decodeURIComponent(path)}`;
  if (file?.type) response.headers.set("content-type", file.type);
  return response;
}
