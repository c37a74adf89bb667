import { compile } from "@jmespath-community/jmespath";
import { isObject, type Json } from "../../_shared/json.ts";
import { failure, type Result, success } from "../../_shared/result.ts";
import { evaluate, isFunction, type Node } from "./bounded_interpreter.ts";

/** A compiled JMESPath expression. */
export interface Expression {
  /** The dotted path, where the expression is nothing but one: `candidate.name`. */
  path?: string;
  /**
   * What the expression finds. Undefined for nothing, for a payload that the expression does not fit, and where it would
   * take or find too much. Never throws.
   */
  search(payload: Json): Json | undefined;
}

/** Compiles an expression. The error says what is wrong: the syntax, an unknown function, or a number of arguments. */
export function compileExpression(text: string): Result<Expression> {
  try {
    const node = compile(text);
    for (const call of callsIn(node)) checkCall(call);
    const path = pathOf(node);
    return success({
      path: path?.join("."),
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
    // The arguments' types depend on the payload, their number does not.
    if (error instanceof Error && error.message.startsWith("Invalid arity")) throw error;
  }
}

function pathOf(node: Node): string[] | undefined {
  if (node.type === "Field") return [node.name];
  if (node.type !== "Subexpression" || node.right.type !== "Field") return undefined;
  const left = pathOf(node.left);
  return left && [...left, node.right.name];
}
