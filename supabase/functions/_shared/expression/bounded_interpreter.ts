import { compile, getRegisteredFunctions, TreeInterpreter } from "@jmespath-community/jmespath";
import { cleanText, isObject, type Json } from "../json.ts";
import { FUNCTIONS, usePayload } from "./expression_functions.ts";
import { type Argument, begin, checkWeight, step, stepsOfCall, stepsOfTakingApart, weigh } from "./expression_steps.ts";

/** A compiled expression, or a part of one. */
export type Node = ReturnType<typeof compile>;

/**
 * Evaluates an expression. The payload's weight limits the number of steps, and no intermediate value weighs much more
 * than the payload including the JSON texts that the expression opens.
 *
 * @returns a copy that can be stored; undefined if nothing is found
 * @throws {Error} if a limit is exceeded, or the payload does not fit the expression
 */
export function evaluate(node: Node, payload: Json): Json | undefined {
  begin(payload);
  usePayload(payload);
  try {
    return copyOf(interpreter.search(node, payload as Value));
  } finally {
    // The interpreter retains the last payload.
    begin(null);
    usePayload(null);
    interpreter.search(CURRENT, null);
  }
}

const CURRENT = compile("@");

/** The functions that produce a text of any length. */
const UNBOUNDED = ["pad_left", "pad_right"];

const NAMES = new Set([...getRegisteredFunctions(), ...Object.keys(FUNCTIONS)]);

/** Whether expressions may call a function of this name. */
export function isFunction(name: string): boolean {
  return NAMES.has(name) && !UNBOUNDED.includes(name);
}

type Interpreter = typeof TreeInterpreter;
type Value = Parameters<Interpreter["search"]>[1];

/** The functions that take a part of the expression, such as the key of sort_by(). */
const EVALUATING = new Set(["group_by", "map", "max_by", "min_by", "sort_by"]);

/** Marks such a part. */
const OURS = Symbol("part of the expression");

const interpreter = bounded(new (TreeInterpreter.constructor as new () => Interpreter)());
for (const [name, { call, signature }] of Object.entries(FUNCTIONS)) {
  const ours = (args: Argument[]) => call(...args);
  interpreter.runtime.registerFunction(name, ours, signature as never, { override: true });
}

/** Makes an interpreter count its steps, and weigh each value that it produces. */
function bounded(interpreter: Interpreter): Interpreter {
  const { visit, withScope, runtime } = interpreter;
  const { callFunction } = runtime;

  interpreter.visit = (node, value) => {
    step(1);
    if (node.type === "Slice" && typeof value === "string") stepsOfTakingApart(value);
    const result = visit.call(
      interpreter,
      node.type === "Comparator" ? compared(node, value as Argument) : node,
      value,
    );
    if (node.type === "ExpressionReference") (result as Argument)[OURS] = true;
    checkWeight(result);
    return result;
  };
  interpreter.withScope = (scope) => {
    // withScope() creates a new interpreter.
    step(50);
    return bounded(withScope.call(interpreter, scope));
  };
  runtime.callFunction = (name, args) => {
    if (!isFunction(name)) throw new Error(`there is no function ${name}()`);
    if (EVALUATING.has(name) && args.some(isForged)) throw new Error(`${name}() takes no object`);
    stepsOfCall(name, args, (part, value) => interpreter.visit(part, value));
    return callFunction.call(runtime, name, args);
  };
  return interpreter;

  /** Counts the steps of a comparison. Returns it with both sides evaluated. */
  function compared(node: Node & { type: "Comparator" }, value: Argument): Node {
    const [left, right] = [node.left, node.right].map((side) => interpreter.visit(side, value) as Argument);
    step(Math.min(weigh(left), weigh(right)));
    return { ...node, left: { type: "Literal", value: left }, right: { type: "Literal", value: right } };
  }
}

/** Whether an object of the payload looks like a part of an expression, which the library would evaluate. */
function isForged(value: Argument): boolean {
  return isObject(value) && Boolean(value.expref) && !(OURS in value);
}

/**
 * Copies the result. Some values cannot be stored: a field such as `constructor` finds JavaScript's own members,
 * arithmetic may produce NaN, and split() may cut characters in half.
 */
function copyOf(found: unknown): Json | undefined {
  if (typeof found === "string") return cleanText(found);
  if (typeof found === "number") return Number.isFinite(found) ? found : undefined;
  if (typeof found === "boolean") return found;
  if (Array.isArray(found)) return found.map((item) => copyOf(item) ?? null);
  if (!isObject(found)) return undefined;
  return Object.fromEntries(
    Object.entries(found).filter(([, item]) => typeof item !== "function")
      .map(([key, item]) => [cleanText(key), copyOf(item) ?? null]),
  );
}
