declare global {
  /** Supabase's edge runtime; undefined elsewhere. */
  var EdgeRuntime: { waitUntil(promise: Promise<unknown>): void } | undefined;
}

/**
 * Lets work continue after the response. Without this call, the platform may stop the isolate before the work is done.
 */
export function continueAfterResponse(work: Promise<unknown>): void {
  globalThis.EdgeRuntime?.waitUntil(work);
}
