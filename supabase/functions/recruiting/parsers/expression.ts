import { compile, getRegisteredFunctions, TreeInterpreter } from "@jmespath-community/jmespath";
import { cleanText, type Json, parseJson } from "../../_shared/json.ts";
import { failure, type Result, success } from "../../_shared/result.ts";

type Node = ReturnType<typeof compile>;

/** A compiled JMESPath expression. */
export interface Expression {
  /** The dotted path, where the expression is nothing but one: `candidate.name`. */
  path?: string;
  /** What the expression finds; undefined for nothing, and for a payload the expression does not fit. Never throws. */
  search(payload: Json): Json | undefined;
}

/** Their result is as long as a number in the payload says, which may be any. */
const UNBOUNDED = ["pad_left", "pad_right"];
const FUNCTIONS = new Set(getRegisteredFunctions().filter((name) => !UNBOUNDED.includes(name)));

/** Compiles an expression. The error says what is wrong: the syntax, an unknown function, or a number of arguments. */
export function compileExpression(text: string): Result<Expression> {
  try {
    const node = compile(text);
    for (const call of callsIn(node)) checkCall(call);
    return success({ path: pathOf(node)?.join("."), search: (payload) => search(node, payload) });
  } catch (error) {
    return failure((error as Error).message);
  }
}

function search(node: Node, payload: Json): Json | undefined {
  try {
    const found = TreeInterpreter.search(node, payload);
    // A field such as `constructor` finds JavaScript's own members, and arithmetic may give no number; JSON has neither.
    // Functions such as split() take characters apart, so what is found has to be made storable anew.
    return typeof found === "string" ? cleanText(found) : toJson(found);
  } catch {
    return undefined;
  }
}

function toJson(found: unknown): Json | undefined {
  const text = JSON.stringify(found);
  return text === undefined || text === "null" ? undefined : parseJson(text);
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
  if (!FUNCTIONS.has(call.name)) throw new Error(`there is no function ${call.name}()`);
  try {
    TreeInterpreter.search(call as Node, {});
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
