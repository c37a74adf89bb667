import type { Random } from "../testing/random.ts";
import { AREA_CODES, FIRST_NAMES, LAST_NAMES, type Vendor, VENDORS } from "./cast.ts";

/** A person who applies through a vendor. */
export interface Applicant {
  vendor: Vendor;
  /** The vendor's own id of the lead. */
  id: string;
  first: string;
  last: string;
  phone: string;
  email: string;
  state: string;
}

/** An applicant, and how long ago the lead came, in milliseconds. */
export interface PlannedLead extends Applicant {
  age: number;
  /** Whether the person has applied before, through another vendor or the same one. */
  isRepeat: boolean;
  /** Of the last ones. Not by its age, so that the world is the same on each day of the week. */
  isRecent: boolean;
}

/** With so many leads, over so many days, the world begins at most. */
export const MOST_LEADS = 700;
const DAYS = 30;
/** The leads of the last hour. */
const LATEST = 14;
/** Every so many leads, a person comes again. */
const REPEATED = 30;
/** With so many things are still under way. */
const RECENT = 45;
const HOUR = 3_600_000;

/** Applicants without end, always the same for the same seed. */
export class Applicants {
  #count: number;

  /** @param first the number of the first one */
  constructor(readonly random: Random, first = 0) {
    this.#count = first;
  }

  next(vendor = this.#vendor()): Applicant {
    const n = this.#count++;
    const state = this.random.pick(vendor.states);
    const [first, last] = [this.random.pick(FIRST_NAMES), this.random.pick(LAST_NAMES)];
    return {
      vendor,
      // Meta's are numbers.
      id: vendor.kind === "meta" ? `${9_000_000_000 + n}` : `${vendor.slug}-${n + 1}`,
      first,
      last,
      email: `${first}.${last}.${n}@example.com`.toLowerCase(),
      phone: `+1${AREA_CODES[state]}555${String(1_000 + n % 9_000)}`,
      state,
    };
  }

  #vendor(): Vendor {
    let left = this.random.next() * VENDORS.reduce((sum, { share }) => sum + share, 0);
    return VENDORS.find(({ share }) => (left -= share) < 0) ?? VENDORS[0]!;
  }
}

/** Where the leads of a start begin to be numbered: after those of the world, and not as at the start before. */
export function firstNumber(now: number): number {
  return MOST_LEADS + Math.floor(now / 1_000) % 8_000;
}

/** The leads of 30 days in the rhythm of working days, oldest first. */
export function planLeads(applicants: Applicants, now: Date, count = MOST_LEADS): PlannedLead[] {
  const { random } = applicants;
  const hours = workingHours(now);
  const ages = Array.from({ length: count - LATEST }, () => random.pick(hours) + random.next() * HOUR);
  const latest = Array.from({ length: LATEST }, (_, n) => n * 4 * 60_000 + 20_000);
  const sorted = [...ages, ...latest].sort((one, other) => other - one);
  const planned: PlannedLead[] = [];
  for (const [n, age] of sorted.entries()) {
    // The newest one is of the vendor that falls silent later.
    const applicant = applicants.next(n === sorted.length - 1 ? VENDORS.at(-1) : undefined);
    const isRepeat = n % REPEATED === REPEATED - 1;
    const { first, last, phone, email, state } = isRepeat ? planned[n - 12]! : applicant;
    planned.push({ ...applicant, first, last, phone, email, state, age, isRepeat, isRecent: n >= count - RECENT });
  }
  return planned;
}

/** The ages of the hours from 8 to 20 (Chicago) of the last days; of weekends every sixth, as few apply then. */
function workingHours(now: Date): number[] {
  const local = new Intl.DateTimeFormat("en-US", {
    ...{ timeZone: "America/Chicago", weekday: "short", hour: "numeric", hourCycle: "h23" },
  });
  return Array.from({ length: (DAYS - 1) * 24 }, (_, n) => (n + 1) * HOUR).filter((age) => {
    const parts = Object.fromEntries(
      local.formatToParts(new Date(now.getTime() - age)).map(({ type, value }) => [type, value]),
    );
    const hour = Number(parts.hour);
    return hour >= 8 && hour < 20 && (!parts.weekday!.startsWith("S") || hour % 6 === 0);
  });
}
