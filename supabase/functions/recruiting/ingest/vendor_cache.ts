import { SEMAPHORES } from "../../_shared/semaphores.ts";

/**
 * How long an isolate remembers a vendor, in milliseconds. A changed parser or rate limit takes effect within this
 * time. A revoked key stops at once, because each SQL function that writes checks the key again.
 */
const REMEMBER_MS = 2_000;
const MOST = 1_000;

/** What the database has said of vendors, by what they are recognised by. It says null where there is none. */
export class VendorCache<Found> {
  readonly #remembered = new Map<string, { found: NonNullable<Found>; until: number }>();
  readonly #asking = new Map<string, Promise<Found>>();

  /** What was last said. If it is not fresh, it still says that the credential was right a moment ago. */
  last(key: string): { found: NonNullable<Found>; isFresh: boolean } | undefined {
    const last = this.#remembered.get(key);
    return last && { found: last.found, isFresh: last.until > Date.now() };
  }

  /**
   * Asks the database, once for all requests of a burst.
   *
   * @param isKnown whether the credential was right a moment ago. Any other needs a permit.
   * @throws ApiError as `ask` does; INTERNAL_ERROR when there is no permit within 20 s.
   */
  ask(key: string, isKnown: boolean, ask: () => Promise<Found>): Promise<Found> {
    let asking = this.#asking.get(key);
    if (asking === undefined) {
      asking = (isKnown ? ask() : SEMAPHORES.vendorLookUps.run(ask))
        .then((found) => this.#remember(key, found))
        .finally(() => this.#asking.delete(key));
      this.#asking.set(key, asking);
    }
    return asking;
  }

  /** Forgets what was said of a credential, because it has been taken away. */
  forget(key: string): void {
    this.#remembered.delete(key);
  }

  #remember(key: string, found: Found): Found {
    if (found === null || found === undefined) this.forget(key);
    else {
      if (this.#remembered.size >= MOST) this.#remembered.clear();
      this.#remembered.set(key, { found, until: Date.now() + REMEMBER_MS });
    }
    return found;
  }
}
