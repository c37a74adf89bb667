import { ByteBudget } from "./byte_budget.ts";
import { Semaphore } from "./semaphore.ts";
import { KIB, MIB } from "./units.ts";

/**
 * The limits on the work of one isolate at a time: every semaphore of the functions. They share 256 MB of memory,
 * and the ten or so connections that PostgREST has to the database.
 */
export const SEMAPHORES = {
  /**
   * Calls for vendors. If all requests of a burst called at once, each would wait at PostgREST until its call is given
   * up. The database would then work for nobody.
   */
  vendorCalls: new Semaphore({ permits: 40, waitMs: 5_000 }),

  /** Look-ups of unknown credentials. Wrong ones take no call of a vendor. */
  vendorLookUps: new Semaphore({ permits: 5, waitMs: 20_000 }),

  /** Calls that store many rows. Texts, activities and single leads need the other connections. */
  batchCalls: new Semaphore({ permits: 5, waitMs: 60_000 }),

  /**
   * Bytes of bodies that are arriving, or have arrived and wait for their work. Each share has room for the largest
   * body, 15 MiB, and some for those that stop half way. One waits as long as its body may take to arrive.
   */
  bodyBytes: new ByteBudget({ all: 40 * MIB, sender: 18 * MIB, unknown: 20 * MIB, small: 64 * KIB }),

  /** Large bodies that are worked on. Each has arrived by then, so nobody waits for a slow sender. */
  largeBodies: new Semaphore({ permits: 2, waitMs: 30_000 }),
};

/** The limits of queues and loops that start their own work. */
export const AT_A_TIME = {
  /** Calls that store single leads. A lead that no call has taken within the time gets an error. */
  leadCalls: { calls: 2, waitMs: 5_000 },

  /** Leads of one webhook's body: as many as one call takes. */
  leadsOfBody: 100,

  /** Texts that one run of the worker has on their way. The others stay due. */
  texts: 10,

  /** Files of recruits that one run of the worker has in memory, of at most 5 MiB each. */
  files: 2,

  /** Leads that one run fetches, of at most 256 KiB each. */
  fetches: 5,

  /** Deliveries of alerts that one run of the worker has on their way. */
  alerts: 5,
};
