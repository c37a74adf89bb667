/** How a figure went on over time. */
export interface Trend {
  /** The mean of the first tenth, of the tenth in the middle, and of the last. */
  start: number;
  middle: number;
  end: number;
  /** By how much it has grown over the second half, by the straight line that fits best. */
  growth: number;
  /** The growth that would be nothing but noise. */
  noise: number;
  /** Whether it did not grow over the second half by more than its noise. */
  isFlat: boolean;
}

/** Growth below this share of the mean is none, even where a figure has next to no noise. */
const NEGLIGIBLE = 0.03;

/**
 * @param values measured at equal distances; ten at least
 * @param negligible a growth that is none, in the unit of the values
 */
export function trendOf(values: number[], negligible = 0): Trend {
  const tenth = Math.ceil(values.length / 10);
  const middle = Math.floor((values.length - tenth) / 2);
  const half = values.slice(Math.floor(values.length / 2));
  const { slope, error } = fitLine(half);
  const length = half.length - 1;
  const growth = slope * length;
  // Two standard errors: a figure that stays as it is exceeds them one time in forty.
  const noise = Math.max(2 * error * length, NEGLIGIBLE * Math.abs(mean(half)), negligible);
  return {
    start: mean(values.slice(0, tenth)),
    middle: mean(values.slice(middle, middle + tenth)),
    end: mean(values.slice(-tenth)),
    growth,
    noise,
    isFlat: growth <= noise,
  };
}

/** The line of least squares through values at 0, 1, 2, …: its slope, and the slope's standard error. */
function fitLine(values: number[]): { slope: number; error: number } {
  const n = values.length;
  const center = (n - 1) / 2;
  const average = mean(values);
  const spread = values.reduce((sum, _, x) => sum + (x - center) ** 2, 0);
  const slope = values.reduce((sum, y, x) => sum + (x - center) * (y - average), 0) / spread;
  const rest = values.reduce((sum, y, x) => sum + (y - average - slope * (x - center)) ** 2, 0);
  return { slope, error: Math.sqrt(rest / (n - 2) / spread) };
}

function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
