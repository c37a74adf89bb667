/** The token of `Authorization: Bearer <token>`; undefined where the header is missing or has another form. */
export function bearerToken(request: Request): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(request.headers.get("authorization") ?? "")?.[1];
}
