/** One line of the table that `npm run bench` prints. */
export interface Measurement {
  what: string;
  value: number;
  /** `×` for a ratio, else a unit. */
  unit: "×" | "s" | "ms" | "MB" | "MiB";
  /** The bound the value has to keep. */
  budget: { atLeast: number } | { atMost: number };
  /** The figures behind the value. */
  detail: string;
}

/** One file of this folder: what belongs together because it is measured together. */
export interface Benchmark {
  name: string;
  title: string;
  run(): Promise<Measurement[]>;
}

/** The middle one of the values. */
export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2;
}

/**
 * Measures the sides in turns, as whatever else the machine does comes and goes: each round measures every side once, and
 * every other round goes backwards.
 *
 * @returns what each side measured, round by round
 */
export async function inTurns<Side extends string>(
  rounds: number,
  sides: Record<Side, () => Promise<number>>,
): Promise<Record<Side, number[]>> {
  const names = Object.keys(sides) as Side[];
  const values = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<
    Side,
    number[]
  >;
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      values[name].push(await sides[name]());
    }
  }
  return values;
}

/** The median of the ratios of two sides that were measured in turns, round by round. */
export function medianRatio(dividends: number[], divisors: number[]): number {
  return median(dividends.map((dividend, round) => dividend / divisors[round]!));
}

/** Seconds that something took. */
export async function seconds(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return (performance.now() - startedAt) / 1000;
}
