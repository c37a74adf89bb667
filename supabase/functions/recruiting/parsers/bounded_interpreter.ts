import { compile, TreeInterpreter } from "@jmespath-community/jmespath";
import { cleanText, isObject, type Json } from "../../_shared/json.ts";
import {
  allow,
  type Argument,
  findable,
  FUNCTION_COSTS,
  lengthOf,
  pay,
  payForReading,
  payForTakingApart,
  type Size,
  sizeOf,
} from "./expression_costs.ts";
import { FUNCTIONS, usePayload } from "./expression_functions.ts";

/** A compiled expression, or a part of one. */
export type Node = ReturnType<typeof compile>;

/**
 * Evaluates an expression. The work is bounded by the payload's size. What is found is not larger than the payload,
 * with the JSON texts that the expression opens, and 1,000 characters.
 *
 * @returns a copy that can be stored; undefined for nothing
 * @throws {Error} beyond a bound, and for a payload that the expression does not fit
 */
export function evaluate(node: Node, payload: Json): Json | undefined {
  const size = sizeOf(payload);
  allow(size);
  usePayload(payload);
  try {
    const found = interpreter.search(node, payload as Value);
    return copyOf(found, findable());
  } finally {
    // The interpreter keeps the last payload it has seen.
    allow(size);
    usePayload(null);
    interpreter.search(CURRENT, null);
  }
}

const CURRENT = compile("@");

/** Whether expressions may call a function of this name. */
export function isFunction(name: string): boolean {
  return Object.hasOwn(FUNCTION_COSTS, name);
}

type Interpreter = typeof TreeInterpreter;
type Value = Parameters<Interpreter["search"]>[1];

/** The functions that are called with a part of the expression, such as the key of sort_by(). */
const EVALUATING = new Set(["group_by", "map", "max_by", "min_by", "sort_by"]);

/** Marks such a part. */
const OURS = Symbol("part of the expression");

const interpreter = bounded(new (TreeInterpreter.constructor as new () => Interpreter)());
for (const [name, { call, signature }] of Object.entries(FUNCTIONS)) {
  const ours = (args: Argument[]) => call(...args);
  interpreter.runtime.registerFunction(name, ours, signature as never, { override: true });
}

/** Makes an interpreter pay for all that it does before it does it. */
function bounded(interpreter: Interpreter): Interpreter {
  const { visit, withScope, runtime } = interpreter;
  const { callFunction } = runtime;

  interpreter.visit = (node, value) => {
    pay(1);
    const result = visit.call(interpreter, prepaid(node, value, interpreter), value);
    if (node.type === "ExpressionReference") (result as Argument)[OURS] = true;
    return result;
  };
  interpreter.withScope = (scope) => {
    // It makes a new interpreter.
    pay(50);
    return bounded(withScope.call(interpreter, scope));
  };
  runtime.callFunction = (name, args) => {
    if (!isFunction(name)) throw new Error(`there is no function ${name}()`);
    if (EVALUATING.has(name) && args.some(isForged)) throw new Error(`${name}() takes no object`);
    FUNCTION_COSTS[name]!(args, (part, value) => interpreter.visit(part, value));
    return callFunction.call(runtime, name, args);
  };
  return interpreter;
}

/**
 * Pays for what evaluating a node takes beyond a step. Returns the node with what is already evaluated as a literal.
 */
function prepaid(node: Node, value: Argument, interpreter: Interpreter): Node {
  const literal = (part: Node) => {
    return { type: "Literal" as const, value: interpreter.visit(part, value) as Argument };
  };
  switch (node.type) {
    case "Slice":
      payForTakingApart(value);
      return node;
    case "Flatten": {
      const child = literal(node.child);
      if (Array.isArray(child.value)) { for (const item of child.value) pay(1 + lengthOf(item)); }
      return { ...node, child };
    }
    case "Comparator": {
      const [left, right] = [literal(node.left), literal(node.right)];
      if (typeof left.value === typeof right.value) payForReading(left.value);
      return { ...node, left, right };
    }
    default:
      return node;
  }
}

/** Whether an object of the payload looks like a part of an expression: the library would evaluate it. */
function isForged(value: Argument): boolean {
  return isObject(value) && Boolean(value.expref) && !(OURS in value);
}

/**
 * Copies what was found, up to this size. A field such as `constructor` finds JavaScript's own members, arithmetic may
 * give no number, and split() takes characters apart: none of these can be stored.
 */
function copyOf(found: unknown, left: Size): Json | undefined {
  if (--left.values < 0) throw new Error("the expression finds too much");
  if (typeof found === "string") return copyOfText(found, left);
  if (typeof found === "number") return Number.isFinite(found) ? found : undefined;
  if (typeof found === "boolean") return found;
  if (Array.isArray(found)) return found.map((item) => copyOf(item, left) ?? null);
  if (!isObject(found)) return undefined;
  return Object.fromEntries(
    Object.entries(found).filter(([, item]) => typeof item !== "function")
      .map(([key, item]) => [copyOfText(key, left), copyOf(item, left) ?? null]),
  );
}

function copyOfText(text: string, left: Size): string {
  left.characters -= text.length;
  if (left.characters < 0) throw new Error("the expression finds too much");
  return cleanText(text);
}
