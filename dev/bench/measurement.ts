/** One line of the table that `npm run bench` prints. */
export interface Measurement {
  what: string;
  /** The result of each round. The figure is their median. */
  rounds: number[];
  /** `×` for a ratio, else a unit. */
  unit: "×" | "ms";
  budget: Budget;
  /** The figures behind the rounds. */
  detail: string;
}

/** The bound that the figure has to keep. */
export type Budget = { atLeast: number } | { atMost: number };

/** Whether a budget was kept: `within noise` where it was missed, but as little as the rounds differ by themselves. */
export type Verdict = "met" | "within noise" | "missed";

/** Figures that are measured together. */
export interface Benchmark {
  name: string;
  title: string;
  run(options: BenchmarkOptions): Promise<Measurement[]>;
}

/** The options of `npm run bench`. */
export interface BenchmarkOptions {
  /** For how long a round of requests lasts. */
  seconds: number;
}

/** The number of rounds in which each side of a ratio is measured. */
export const ROUNDS = 7;

/**
 * Measures the sides in turns, as whatever else the machine does comes and goes: each round measures every side once,
 * and every other round goes backwards.
 *
 * @returns what each side measured, round by round
 */
export async function inTurns<Side extends string>(
  sides: Record<Side, () => Promise<number>>,
): Promise<Record<Side, number[]>> {
  const names = Object.keys(sides) as Side[];
  const values = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<
    Side,
    number[]
  >;
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      values[name].push(await sides[name]());
    }
  }
  return values;
}

/**
 * The ratio of two sides that were measured in turns, round by round.
 *
 * @param describe how a figure of one side is shown
 */
export function ratio(
  what: string,
  [dividends, divisors]: [number[], number[]],
  budget: Budget,
  describe: (figure: number) => string,
): Measurement {
  return {
    what,
    rounds: dividends.map((dividend, round) => dividend / divisors[round]!),
    unit: "×",
    budget,
    detail: `${describe(median(dividends))} and ${describe(median(divisors))}`,
  };
}

/**
 * Compares what was measured with its budget. A budget is missed when the median misses it and the better quartile of
 * the rounds does, too: about three of four rounds have to miss it. A figure of a single round has no noise.
 */
export function judge({ rounds, budget }: Pick<Measurement, "rounds" | "budget">): Verdict {
  const [lower, upper] = quartiles(rounds);
  if (keeps(budget, median(rounds))) return "met";
  return keeps(budget, "atLeast" in budget ? upper : lower) ? "within noise" : "missed";
}

function keeps(budget: Budget, value: number): boolean {
  return "atLeast" in budget ? value >= budget.atLeast : value <= budget.atMost;
}

/** The middle one of the values. */
export function median(values: number[]): number {
  return quantile(values, 0.5);
}

/** The lower and the upper quartile: half of the values lie between them. */
export function quartiles(values: number[]): [lower: number, upper: number] {
  return [quantile(values, 0.25), quantile(values, 0.75)];
}

/** The value below which this share of the values lies, interpolated between the two nearest ones. */
export function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = share * (sorted.length - 1);
  const below = sorted[Math.floor(place)]!;
  return below + (place % 1) * (sorted[Math.ceil(place)]! - below);
}
