import {
  compile,
  getRegisteredFunctions,
  registerFunction,
  search as searchUnbounded,
  TYPE_ANY,
} from "@jmespath-community/jmespath";
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Json } from "../json.ts";
import { evaluate } from "./bounded_interpreter.ts";
import { compileExpression } from "./expression.ts";
import { type Argument, begin, weigh } from "./expression_steps.ts";

function search(expression: string, payload: Json): Json | undefined {
  const { data, error } = compileExpression(expression);
  assert.equal(error, null);
  return data!.search(payload);
}

/** An expression of any kind, whose literals and fields sometimes match the payloads below. */
const expression = fc.letrec<{ any: string; list: string }>((tie) => {
  const inBrackets = (part: fc.Arbitrary<string>) => part.map((given) => `(${given})`);
  const [any, list] = [inBrackets(tie("any")), inBrackets(tie("list"))];
  const text = (...parts: (string | fc.Arbitrary<string>)[]) =>
    fc.tuple(...parts.map((part) => typeof part === "string" ? fc.constant(part) : part))
      .map((pieces) => pieces.join(""));
  const name = fc.constantFrom("a", "b", "s", "t", "list", "n", "j");
  const call = (names: string[], ...args: fc.Arbitrary<string>[]) =>
    text(fc.constantFrom(...names), "(", fc.tuple(...args).map((given) => given.join(", ")), ")");
  const leaf = fc.oneof(
    name,
    fc.constantFrom("@", "$", "*", "''", "' '", "'a'", "`3`", "`0`", "`[1,2]`", "`{}`", "s", "t"),
  );
  return {
    list: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom("list", "list[*].s", "list[].n", "[s, t]", "*", "@", "[$, $]"),
      text(list, "[]"),
      text(list, "[*].[@, $]"),
      text(list, "[?", any, "]"),
      text(list, "[::-1]"),
      call(["split"], any, any),
      call(["sort", "reverse", "to_array"], list),
      call(["sort_by", "group_by"], list, text("&", any)),
      call(["map"], text("&", any), list),
      call(["zip"], list, list),
      call(["keys", "values", "items"], any),
      text("[", any, ", ", list, "]"),
    ),
    any: fc.oneof(
      { maxDepth: 5 },
      leaf,
      list,
      text(any, ".", name),
      text(any, " | ", any),
      text(any, "[0]"),
      text(any, "[1:3]"),
      text(any, fc.constantFrom(" == ", " != ", " < ", " || ", " && "), any),
      text("{a: ", any, ", b: ", any, "}"),
      text("let $v = ", any, " in [$v, ", any, "]"),
      text(any, " ? ", any, " : ", any),
      call(["length", "type", "to_string", "to_number", "upper", "lower", "not_null"], any),
      call(["parse_json"], any),
      call(["lookup"], any, any),
      call(["sum", "avg", "max", "min", "from_items"], list),
      call(["max_by", "min_by"], list, text("&", any)),
      call(["contains", "starts_with", "ends_with", "find_first", "find_last"], any, any),
      call(["join"], any, list),
      call(["replace"], any, any, any),
      call(["merge"], any, any),
    ),
  };
}).any;

const value = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.oneof(fc.string(), fc.constantFrom("a", " a b ", ""), fc.integer(), fc.constant(null)),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom("a", "b", "s", "t", "n", "expref", "type"), tie("value"), {
      noNullPrototype: true,
    }),
  ),
})).value;
const text = fc.oneof(fc.constantFrom("", "a", "aaaa", "a b a", "  x  "), fc.string());
const payload: fc.Arbitrary<Json> = fc.record({
  a: value,
  b: value,
  s: text,
  t: text,
  j: value.map((value) => JSON.stringify(value)),
  n: fc.nat(9),
  list: fc.array(fc.record({ s: text, t: text, n: fc.integer() }), { maxLength: 5 }),
}).map((value) => JSON.parse(JSON.stringify(value)));

// Here, the library also has our functions, in their simplest form.
const any = { types: [TYPE_ANY] };
registerFunction("parse_json", ([text]: Argument[]) => {
  try {
    return typeof text === "string" ? JSON.parse(text) : text;
  } catch {
    return null;
  }
}, [any]);
registerFunction("lookup", ([object, key]: Argument[]) => {
  const isFit = typeof object === "object" && object !== null && !Array.isArray(object) &&
    ["string", "number"].includes(typeof key);
  return isFit && Object.hasOwn(object, key) ? object[key] : null;
}, [any, any]);

/** The result of the unmodified library, as JSON; undefined if it fails. */
function reference(expression: string, payload: Json): Json | undefined {
  try {
    const found = JSON.stringify(searchUnbounded(payload as never, expression));
    return found === undefined || found === "null" ? undefined : JSON.parse(found);
  } catch {
    return undefined;
  }
}

/** Whether evaluation is aborted because an expression does or finds too much in this payload. */
function isTooMuch(expression: string, payload: Json): boolean {
  try {
    evaluate(compile(expression), payload);
    return false;
  } catch (error) {
    return /^the expression (?:takes|finds) too much$/.test((error as Error).message);
  }
}

Deno.test("property: a modest expression finds the result that JMESPath defines", () => {
  let found = 0;
  fc.assert(
    fc.property(expression, payload, (expression, payload) => {
      const expected = reference(expression, payload);
      // A small result may need many steps, as when a list is sorted by texts of the whole payload.
      fc.pre(!isTooMuch(expression, payload));
      assert.deepEqual(search(expression, payload), expected);
      if (expected !== undefined) found++;
    }),
    { numRuns: 300 },
  );
  assert(found > 15, `${found} expressions found something`);
});

Deno.test("property: the result of any expression is hardly larger than the payload", () => {
  const large = fc.tuple(payload, fc.nat(300)).map(([value, times]): Json => {
    const { s, t, j, list, ...others } = value as Record<"s" | "t" | "j", string> & {
      list: Json[];
    };
    return {
      ...others,
      s: s.repeat(times),
      t: t.repeat(times),
      j: `[${Array(times).fill(j)}]`,
      list: Array(times).fill(list).flat(),
    };
  });
  fc.assert(
    fc.property(expression, large, (expression, payload) => {
      const found = search(expression, payload);
      // Weighing counts steps.
      begin([payload, found ?? null]);
      // A JSON text may be opened, and each of its values takes two characters, which weigh a 16th.
      assert(weigh(found) <= 40 * weigh(payload) + 1_000);
    }),
    { numRuns: 150 },
  );
});

Deno.test("an expression is at most 4,000 characters long and nested 100 levels deep", () => {
  assert.equal(search("a".repeat(4_000), {}), undefined);
  assert.equal(compileExpression("a".repeat(4_001)).error, "it is longer than 4000 characters");
  const nested = (depth: number) => "[".repeat(depth) + "a" + "]".repeat(depth);
  assert.equal(compileExpression(nested(99)).error, null);
  assert.equal(compileExpression(nested(100)).error, "it is nested deeper than 100 parts");
});

const TEXT = "a".repeat(20_000);
const BLANKS = `x${" ".repeat(1_000_000)}x`;
const LIST = Array.from({ length: 5_000 }, (_, n) => ({ n, s: `text ${n}` }));
const doubled = Array(40).fill("[@, @]").join(" | ");

Deno.test("an expression that would take or make too much finds nothing", () => {
  for (
    const [what, expression, payload] of [
      ["squares a text", "join(s, split(s, ''))", { s: TEXT }],
      ["squares a text by replacing", "replace(s, '', s)", { s: TEXT }],
      ["replaces by what stands around it", "replace(s, 'a', '$`$`', `1000`)", { s: TEXT }],
      ["doubles a list 40 times", doubled, { a: 1 }],
      ["doubles a list 40 times and flattens it", `${doubled.replaceAll("]", "][]")}`, { a: 1 }],
      ["doubles a list 40 times and counts its text", `length(to_string(${doubled}))`, { a: 1 }],
      ["compares two lists doubled 40 times", `[${doubled}, ${doubled}] | [0] == [1]`, { a: 1 }],
      ["doubles an object by merging", `${doubled.replaceAll("[@, @]", "{a: @, b: @}")}`, { a: 1 }],
      ["multiplies three lists", "list[*].[$.list[*].[$.list[*].n]]", { list: LIST }],
      ["multiplies two lists in a filter", "list[?contains($.list[*].s, s)]", { list: LIST }],
      ["multiplies two lists by map", "map(&map(&[@], $.list), list)", { list: LIST }],
      ["hides the product in variables", "let $l = list in list[*].[$l[*].[$l[*].n]]", {
        list: LIST,
      }],
      ["sorts long texts", "sort([*].s)", [...Array(2_000)].map(() => ({ s: TEXT }))],
      ["sorts by one long text", "sort_by(list, &$.s)", { list: LIST, s: TEXT.repeat(50) }],
      ["looks for half a text in it", "contains(s, t)", {
        s: TEXT.repeat(50),
        t: `${TEXT.repeat(25)}b`,
      }],
      ["takes a long text apart", "split(s, '')", { s: TEXT.repeat(50) }],
      ["opens a long JSON text again and again", `[${Array(40).fill("parse_json(s)").join(", ")}]`, {
        s: JSON.stringify({ t: TEXT }),
      }],
      ["opens what it writes", `parse_json(join('', ['[', ${Array(9).fill("s")}, '0]']))`, {
        s: "1,".repeat(20_000),
      }],
      ["escapes backslashes again and again", `${"to_string([".repeat(40)}s${"])".repeat(40)}`, {
        s: "\\",
      }],
      ["pads a text", "map(f, [s])", {
        s: "a",
        f: {
          expref: true,
          type: "Function",
          name: "pad_left",
          children: [{ type: "Current" }, { type: "Literal", value: 1e9 }],
        },
      }],
      ["is in the payload", "map(f, list)", {
        list: LIST,
        f: { expref: true, type: "Literal", value: "x" },
      }],
      ["takes small steps", "map(f, [list])", {
        list: LIST,
        f: { expref: true, type: "Slice", start: null, stop: null, step: 1e-9 },
      }],
    ] as [string, string, Json][]
  ) {
    assert.equal(search(expression, payload), undefined, what);
  }
});

Deno.test("an expression may do usual work with a payload of any size", () => {
  const answers = Array.from({ length: 2_000 }, (_, n) => ({ kind: `k${n}`, text: `answer ${n}` }));
  const resume = `data:application/pdf;base64,${"AbCd".repeat(3_000_000)}`;
  const payload = { person: { name: " Ann Lee " }, answers, resume, long: BLANKS };
  assert.equal(search("answers[?kind == 'k1999'].text | [0]", payload), "answer 1999");
  assert.equal(search("length(answers[?contains(text, 'answer 1')])", payload), 1_111);
  assert.equal(search("join(', ', answers[:3].text)", payload), "answer 0, answer 1, answer 2");
  assert.equal(search("split(trim(person.name), ' ')[0] | upper(@)", payload), "ANN");
  assert.equal(search("sort_by(answers, &text)[-1].text", payload), "answer 999");
  assert.equal(search("split(resume, ',')[1]", payload), resume.slice(28));
  const withoutType = search("replace(resume, 'data:application/pdf;base64,', '')", payload);
  assert.equal(withoutType, resume.slice(28));
  assert.equal(search("starts_with(resume, 'data:') && resume || ''", payload), resume);
  assert.equal(search("{answers: answers, person: person} | length(answers)", payload), 2_000);
  assert.equal(search("trim(long)", payload), BLANKS);

  const text = "Sold a lot. ".repeat(2_000);
  assert.equal(search("text[:4]", { text }), "Sold");
  assert.equal(search("length(text) > `100` && text[:4]", { text }), "Sold");
});

Deno.test("trim and replace behave like the library's own functions", () => {
  const payload = { s: " \u0085 xa ab xx\n ", count: 2 };
  for (
    const expression of [
      ...["trim(s)", "trim_left(s)", "trim_right(s)", "trim(s, ' x')", "trim(s, '')"],
      ...["trim_right(s, 'x\n ')", "trim_left('xxa', 'x')", "trim('   ')", "trim('', 'a')"],
      ...["replace(s, 'x', 'yy')", "replace(s, 'a', 'b', `1`)", "replace(s, 'x', 'y', count)"],
      ...["replace(s, 'x', '', `0`)", "replace(s, 'x', 'y', `-1`)", "replace(s, 'x', 'y', `0.5`)"],
    ]
  ) {
    assert.equal(search(expression, payload), reference(expression, payload), expression);
  }
});

Deno.test("every function of the library is available, except those that produce a text of any length", () => {
  const missing = getRegisteredFunctions().filter((name) =>
    compileExpression(`${name}()`).error?.startsWith("there is no function")
  );
  assert.deepEqual(missing, ["pad_left", "pad_right"]);
});

Deno.test("parse_json, lookup and zip find what they are meant to, again and again", () => {
  for (
    const [expression, payload, expected] of [
      ["parse_json(raw).q3_name.first", { raw: '{"q3_name": {"first": "Ann"}}' }, "Ann"],
      ["parse_json(raw)", { raw: '[1, "a\\u0000b", {"id": 12345678901234567890}]' }, [
        1,
        "ab",
        { id: "12345678901234567890" },
      ]],
      ["parse_json(parse_json(raw).inner).a", { raw: '{"inner": "{\\"a\\": true}"}' }, true],
      ["parse_json(raw).a || name", { raw: "no JSON", name: "Ann" }, "Ann"],
      ["parse_json(raw).a || name", { name: "Ann" }, "Ann"],
      ["parse_json(raw).a || name", { raw: "[".repeat(101), name: "Ann" }, "Ann"],
      ["parse_json(raw).a || name", { raw: `[${"1,".repeat(100_000)}1]`, name: "Ann" }, "Ann"],
      ["parse_json(raw).name", { raw: { name: "Ann" } }, "Ann"],
      ["parse_json(raw).constructor", { raw: "{}" }, undefined],
      ["map(parse_json(f), list)", {
        f: '{"expref": true, "type": "Literal", "value": 1}',
        list: [1],
      }],
      ["lookup(labels, code)", { labels: { a: "Yes", b: "No" }, code: "b" }, "No"],
      ["lookup(labels, code)", { labels: { 7: "Yes" }, code: 7 }, "Yes"],
      ["lookup(labels, code) || code", { labels: {}, code: "constructor" }, "constructor"],
      ["lookup(labels, code) || code", { labels: {}, code: "__proto__" }, "__proto__"],
      ["lookup(labels, code) || 'none'", { labels: ["a"], code: 0 }, "none"],
      ["lookup(labels, code) || 'none'", {}, "none"],
      ["zip(q, a)[*].{question: [0], answer: [1]}", { q: ["A?", "B?"], a: ["x", ["y"]] }, [
        { question: "A?", answer: "x" },
        { question: "B?", answer: ["y"] },
      ]],
      ["let $l = labels in list[*].lookup($l, @)", { labels: { a: "Yes" }, list: ["a"] }, ["Yes"]],
      ["let $l = labels in map(&lookup($l, @), list)", { labels: { a: "Yes" }, list: ["a"] }],
    ] as [string, Json, Json | undefined][]
  ) {
    assert.deepEqual(search(expression, payload), expected);
    assert.deepEqual(search(expression, payload), expected);
  }
});

Deno.test("two lists are joined by id, however many questions there are", () => {
  for (const count of [1, 20, 500]) {
    const questions = Array.from({ length: count }, (_, id) => ({ id, text: `Question ${id}?` }));
    const answers = questions.map(({ id }) => ({ question_id: id, value: `answer ${id}` }));
    const found = search(
      "let $texts = from_items(questions[*].[to_string(id), text]) in " +
        "answers[*].{question: lookup($texts, question_id), answer: value}",
      { questions, answers },
    );
    assert.deepEqual(
      found,
      questions.map(({ id, text }) => ({ question: text, answer: `answer ${id}` })),
    );
  }
});
