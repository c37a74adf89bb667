import { Buffer } from "node:buffer";

/**
 * Gives the file of an upload the field's name that `@supabase/lite` looks for. supabase-js gives it none when it sends
 * a File or a Blob, and Deno's own parser of forms leaves out a field without a name.
 */
export async function withFileField(request: Request): Promise<Request> {
  const isForm = request.headers.get("content-type")?.startsWith("multipart/form-data");
  if (!isForm || request.method !== "POST") return request;
  const form = Buffer.from(await request.arrayBuffer());
  const field = 'name=""; filename=';
  const at = form.indexOf(field);
  const parts = at < 0 ? [form] : [
    form.subarray(0, at),
    Buffer.from('name="file"; filename='),
    form.subarray(at + field.length),
  ];
  const headers = new Headers(request.headers);
  headers.delete("content-length");
  return new Request(request.url, { method: "POST", headers, body: Buffer.concat(parts) });
}
