import { compile } from "@jmespath-community/jmespath";
import { isObject, type Json } from "../json.ts";
import { failure, type Result, success } from "../result.ts";
import { evaluate, isFunction, type Node } from "./bounded_interpreter.ts";

/** A compiled JMESPath expression. */
export interface Expression {
  /** The keys, if the expression is a plain path: `candidate.name`. */
  path?: string[];
  /**
   * Returns the value that the expression finds; undefined if it finds nothing, does not fit the payload, or does or
   * finds too much. Never throws.
   */
  search(payload: Json): Json | undefined;
}

/** The maximum number of characters and of nested levels. */
const MAX_LENGTH = 4_000;
const MAX_DEPTH = 100;

/**
 * Compiles an expression. The error describes the problem: the length or depth, the syntax, an unknown function, or a
 * wrong number of arguments.
 */
export function compileExpression(text: string): Result<Expression> {
  if (text.length > MAX_LENGTH) return failure(`it is longer than ${MAX_LENGTH} characters`);
  try {
    const node = compile(text);
    if (depthOf(node) > MAX_DEPTH) return failure(`it is nested deeper than ${MAX_DEPTH} parts`);
    for (const call of callsIn(node)) checkCall(call);
    const path = pathOf(node);
    return success({
      path,
      search: (payload) => path ? follow(path, payload) : search(node, payload),
    });
  } catch (error) {
    return failure((error as Error).message);
  }
}

function follow(path: string[], payload: Json): Json | undefined {
  let value: Json | undefined = payload;
  for (const key of path) {
    value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return value ?? undefined;
}

function search(node: Node, payload: Json): Json | undefined {
  try {
    return evaluate(node, payload);
  } catch {
    return undefined;
  }
}

function depthOf(node: unknown): number {
  if (typeof node !== "object" || node === null) return 0;
  const inside = Math.max(0, ...Object.values(node).map(depthOf));
  return "type" in node ? 1 + inside : inside;
}

interface FunctionCall {
  type: "Function";
  name: string;
}

function callsIn(node: unknown): FunctionCall[] {
  if (typeof node !== "object" || node === null) return [];
  const inside = Object.values(node).flatMap(callsIn);
  return "type" in node && node.type === "Function" ? [node as FunctionCall, ...inside] : inside;
}

function checkCall(call: FunctionCall): void {
  if (!isFunction(call.name)) throw new Error(`there is no function ${call.name}()`);
  try {
    evaluate(call as Node, {});
  } catch (error) {
    // The types of the arguments depend on the payload, their number does not.
    if (error instanceof Error && error.message.startsWith("Invalid arity")) throw error;
  }
}

// A quoted number is excluded: in a path it would also be the index of a list.
function pathOf(node: Node): string[] | undefined {
  if (node.type === "Field") return /^\d+$/.test(node.name) ? undefined : [node.name];
  if (node.type !== "Subexpression") return undefined;
  const [left, right] = [pathOf(node.left), pathOf(node.right)];
  return left && right?.length === 1 ? [...left, ...right] : undefined;
}
