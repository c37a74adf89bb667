/**
 * Whether a request that failed may have left. `Connect` stands for all that comes before: the name, the connection and
 * TLS. Deno 2.1 says it in the error's own message, newer ones in that of its cause.
 */
export function hadConnection(error: unknown): boolean {
  const causes = error instanceof Error ? [error, error.cause] : [];
  return !causes.some((cause) => cause instanceof Error && cause.message.includes("client error (Connect)"));
}
