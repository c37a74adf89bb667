/** The requests that the API serves at once for one user (supabase/schemas/base/request_slots.sql). */
const AT_ONCE = 3;

/** A request that is refused so often is given up. */
const MOST_ATTEMPTS = 5;

/**
 * The milliseconds after which a response does not come any more: the database ends a call much sooner. A connection that
 * was lost without a word would keep its turn, and the text that it sends, for many minutes.
 */
const LONGEST = 30_000;

/** The seconds to wait where the response does not say. */
const WAIT = 1;

/**
 * A `fetch` for the API that sends three requests at a time, and waits and repeats one that was refused with 429 and
 * `Retry-After`: the API refuses it before it does anything. One without a response fails after `longest` milliseconds.
 */
export function inTurns(send: typeof fetch, longest = LONGEST): typeof fetch {
  let free = AT_ONCE;
  const waiting: (() => void)[] = [];
  return async (input, init) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      for (let attempt = 1;; attempt++) {
        const signal = AbortSignal.any([AbortSignal.timeout(longest), ...init?.signal ? [init.signal] : []]);
        const response = await send(input, { ...init, signal });
        const seconds = response.headers.get("retry-after");
        if (response.status !== 429 || seconds === null || attempt === MOST_ATTEMPTS) return response;
        await response.body?.cancel();
        await new Promise((resolve) => setTimeout(resolve, 1_000 * (Number(seconds) || WAIT)));
        init?.signal?.throwIfAborted();
      }
    } finally {
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    }
  };
}
