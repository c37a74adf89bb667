import { ByteBudget } from "./byte_budget.ts";
import { Semaphore } from "./semaphore.ts";
import { KIB, MIB } from "./units.ts";

/**
 * The limits on concurrent work in one isolate: every semaphore of the functions. The work shares 256 MB of memory and
 * the roughly ten connections that PostgREST has to the database.
 */
export const SEMAPHORES = {
  /**
   * Calls for vendors. If all requests of a burst made their calls at once, each would wait at PostgREST until it times
   * out, and the database would do all the work for nothing.
   */
  vendorCalls: new Semaphore({ permits: 40, waitMs: 5_000 }),

  /** Look-ups of unknown credentials, separate so that wrong credentials do not use permits of vendors. */
  vendorLookUps: new Semaphore({ permits: 5, waitMs: 20_000 }),

  /** Calls that store many rows. The other connections are left for texts, activities and single leads. */
  batchCalls: new Semaphore({ permits: 5, waitMs: 60_000 }),

  /**
   * Bytes of bodies that are arriving or wait to be processed. Each share has room for the largest body, 15 MiB, and
   * for some stalled ones. A body waits for at most the time that it may take to arrive.
   */
  bodyBytes: new ByteBudget({ all: 40 * MIB, sender: 18 * MIB, unknown: 20 * MIB, small: 64 * KIB }),

  /** Large bodies in progress. Each has already arrived, so nobody waits for a slow sender. */
  largeBodies: new Semaphore({ permits: 2, waitMs: 30_000 }),
};

/** The limits of queues and loops that start work themselves. */
export const AT_A_TIME = {
  /** Calls that store single leads. A lead that is not in a call within this time gets an error. */
  leadCalls: { calls: 2, waitMs: 5_000 },

  /** Leads of one webhook body: the maximum of one call. */
  leadsOfBody: 100,

  /** Texts that one run of the worker sends at a time. The others stay due. */
  texts: 10,

  /** Recruits' files that one run of the worker holds in memory, each at most 5 MiB. */
  files: 2,

  /** Leads that one run fetches at a time, each at most 256 KiB. */
  fetches: 5,

  /** Dispatches that one run of the worker sends at a time. Some wait 15 s for their receivers. */
  dispatches: 20,
};
