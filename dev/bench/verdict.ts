import { type Budget, type Measurement, median, quartiles } from "./measurement.ts";

/** Whether a budget was kept: `within noise` where it was missed, but as little as the rounds differ by themselves. */
export type Verdict = "met" | "within noise" | "missed";

/**
 * Compares what was measured with its budget. A budget is missed when the median misses it and the better quartile of the
 * rounds does, too: about three of four rounds have to miss it. A figure of a single round has no noise.
 */
export function judge({ rounds, budget }: Pick<Measurement, "rounds" | "budget">): Verdict {
  const [lower, upper] = quartiles(rounds);
  const better = "atLeast" in budget ? upper : lower;
  if (keeps(budget, median(rounds))) return "met";
  return keeps(budget, better) ? "within noise" : "missed";
}

function keeps(budget: Budget, value: number): boolean {
  return "atLeast" in budget ? value >= budget.atLeast : value <= budget.atMost;
}
