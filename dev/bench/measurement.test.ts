import assert from "node:assert/strict";
import { type Budget, judge, type Verdict } from "./measurement.ts";

const CASES: [what: string, rounds: number[], Budget, Verdict][] = [
  ["a median that keeps its lower bound", [0.2, 0.4, 0.4, 0.5, 0.3], { atLeast: 0.4 }, "met"],
  ["a median that keeps its upper bound", [1.2, 9, 1.5, 1.5, 9], { atMost: 1.5 }, "met"],
  ["a lower bound that a quarter of the rounds keep", [0.35, 0.36, 0.37, 0.4, 0.41], { atLeast: 0.4 }, "within noise"],
  ["an upper bound that a quarter of the rounds keep", [1.4, 1.5, 1.6, 1.7, 1.8], { atMost: 1.5 }, "within noise"],
  ["a lower bound that one round of five keeps", [0.9, 0.3, 0.31, 0.32, 0.33], { atLeast: 0.4 }, "missed"],
  ["an upper bound that one round of five keeps", [1, 2.1, 2.2, 2.3], { atMost: 1.5 }, "missed"],
  ["a quartile between two rounds", [1, 2, 3, 4], { atMost: 1.75 }, "within noise"],
  ["a quartile that is not the nearest round", [1, 2, 3, 4], { atMost: 1.74 }, "missed"],
  ["a single figure has no noise", [1.01], { atMost: 1 }, "missed"],
  ["a single figure that keeps its bound exactly", [1], { atMost: 1 }, "met"],
];

for (const [what, rounds, budget, expected] of CASES) {
  Deno.test(`a budget, ${expected}: ${what}`, () => assert.equal(judge({ rounds, budget }), expected));
}
