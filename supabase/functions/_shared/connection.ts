/**
 * Returns whether a failed request may have been sent. `Connect` covers all earlier steps: DNS, the connection and TLS.
 * Deno 2.1 reports it in the error's own message, newer versions in the message of its cause.
 */
export function hadConnection(error: unknown): boolean {
  const causes = error instanceof Error ? [error, error.cause] : [];
  return !causes.some((cause) => cause instanceof Error && cause.message.includes("client error (Connect)"));
}
