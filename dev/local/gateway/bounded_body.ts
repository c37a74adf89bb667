/** The bytes of a body; null where it is longer. What is announced to be longer is not read, and the rest never is. */
export async function boundedBody(request: Request, most: number): Promise<Uint8Array<ArrayBuffer> | null> {
  if (Number(request.headers.get("content-length")) > most) return null;
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for await (const piece of request.body ?? []) {
    length += piece.length;
    if (length > most) return null;
    pieces.push(piece);
  }
  return await new Blob(pieces).bytes();
}
