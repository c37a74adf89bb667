import assert from "node:assert/strict";
import fc, { character } from "fast-check";
import { ApiError, type ErrorCode } from "../errors.ts";
import { parseForm } from "./form.ts";
import { cleanText, JSON_BOUNDS } from "../json.ts";

const URL_ENCODED = "application/x-www-form-urlencoded";

function parse(body: string | Uint8Array<ArrayBuffer>, type = URL_ENCODED) {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  return Promise.resolve().then(() => parseForm(bytes, type, JSON_BOUNDS));
}

/** Encodes a form as `multipart/form-data`, as a client does, and returns it with its content type. */
async function multipart(fields: [string, string | File][]) {
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  const request = new Request("http://localhost/", { method: "POST", body: form });
  return [await request.bytes(), request.headers.get("content-type")!] as const;
}

/** A hand-written `multipart/form-data` body. */
function parts(...parts: string[]) {
  return parts.map((part) => `--b\r\n${part}\r\n`).join("") + "--b--\r\n";
}

const TYPE = "multipart/form-data; boundary=b";
const FIELD = 'Content-Disposition: form-data; name="a"\r\n\r\n1';

function fails(code: ErrorCode) {
  return (error: unknown) => error instanceof ApiError && error.code === code;
}

Deno.test("a form becomes an object; a repeated name becomes a list", async () => {
  const expected = { first_name: "Ana María", "q[]": ["1", "", "3"], empty: "" };
  const text = "first_name=Ana+Mar%C3%ADa&q%5B%5D=1&empty=&q%5B%5D=&q[]=3&";
  assert.deepEqual(await parse(text, `${URL_ENCODED}; charset=utf-8`), expected);
  const fields: [string, string][] = [
    ["first_name", "Ana María"],
    ["q[]", "1"],
    ["empty", ""],
    ["q[]", ""],
    ["q[]", "3"],
  ];
  assert.deepEqual(await parse(...await multipart(fields)), expected);
  assert.deepEqual(await parse(parts(FIELD), 'Multipart/Form-Data; boundary="b"; x=y'), { a: "1" });
  assert.deepEqual(await parse(""), {});
});

Deno.test("a form declared as Latin-1 keeps its letters", async () => {
  const latin1 = `${URL_ENCODED}; charset=ISO-8859-1`;
  const text = "first_name=Jos%E9+%2B&l%E4ge=Mu\xf1oz%80&zip=1";
  const bytes = () => Uint8Array.from(text, (character) => character.charCodeAt(0));
  const expected = { first_name: "José +", läge: "Muñoz€", zip: "1" };
  assert.deepEqual(await parse(bytes(), latin1), expected);
  assert.deepEqual(await parse("first_name=Jos%C3%A9", latin1), { first_name: "José" });
});

Deno.test("an uploaded file becomes an object with its content in base64", async () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  const file = new File([bytes], "Lebenslauf Müller.pdf", { type: "application/pdf" });
  const { cv } = await parse(...await multipart([["cv", file]]));
  assert.deepEqual(cv, {
    filename: "Lebenslauf Müller.pdf",
    content_type: "application/pdf",
    data: btoa(String.fromCharCode(...bytes)),
  });
});

Deno.test("names such as __proto__ are ordinary field names", async () => {
  const fields: [string, string][] = [["__proto__", "a"], ["constructor", "b"], ["toString", "c"]];
  for (
    const form of [await parse(new URLSearchParams(fields).toString()), await parse(...await multipart(fields))]
  ) {
    assert.deepEqual(Object.entries(form), fields);
    assert.equal(Object.getPrototypeOf(form), Object.prototype);
  }
});

Deno.test("a multipart form that is cut off or malformed is BAD_REQUEST", async () => {
  for (
    const [what, body, type] of [
      ["cut off in a part", parts(FIELD, FIELD).slice(0, -12), TYPE],
      ["cut off after a part", `--b\r\n${FIELD}\r\n`, TYPE],
      ["without a boundary", parts(FIELD), "multipart/form-data"],
      ["of another boundary", parts(FIELD), "multipart/form-data; boundary=c"],
      ["with a part that has no name", parts(FIELD, "Content-Type: text/plain\r\n\r\n1"), TYPE],
      ["with a part that has no end of its head", parts('Content-Disposition: form-data; name="a"'), TYPE],
      ["with a head of a megabyte", parts(`X: ${"x".repeat(2 ** 20)}\r\n${FIELD}`), TYPE],
      ["with line feeds alone", parts(FIELD).replaceAll("\r\n", "\n"), TYPE],
      ["that is empty", "", TYPE],
    ] as const
  ) {
    await assert.rejects(parse(body, type), fails("BAD_REQUEST"), what);
  }
});

Deno.test("a form has the same bounds as JSON, except for its files", async () => {
  const { keys, keyBytes, textBytes } = JSON_BOUNDS;
  const tooLarge = fails("PAYLOAD_TOO_LARGE");
  const fields = (count: number) => Array.from({ length: count }, (_, n) => `k${n}=`).join("&");
  assert.equal(Object.keys(await parse(fields(keys))).length, keys);
  await assert.rejects(parse(fields(keys + 1)), tooLarge);
  await assert.rejects(parse(parts(...Array(keys + 1).fill(FIELD)), TYPE), tooLarge);
  await assert.rejects(parse(`${"k".repeat(keyBytes + 1)}=1`), tooLarge);
  await assert.rejects(parse(`a=${"b+".repeat(textBytes)}`), tooLarge);
  const text: [string, string][] = [["a", "é ".repeat(textBytes / 3 + 1)]];
  await assert.rejects(parse(...await multipart(text)), tooLarge);
  const base64 = "JVBERi0x".repeat(textBytes / 8 + 1);
  assert.equal((await parse(`a=${base64}`)).a, base64);
  const file = new File([new Uint8Array(textBytes + 1)], "cv.pdf");
  assert((await parse(...await multipart([["a", file]]))).a);
});

Deno.test("a multipart form keeps the name of a field, and the file's", async () => {
  for (
    const [name, filename] of [
      ["a=", "cv=1.pdf"],
      ['Say "yes"', 'the "best" cv.pdf'],
      ["a; filename=b", "a; name=c.pdf"],
      ["a\u2028", "b\u2029.pdf"],
      ["C:\\", "C:\\cv.pdf"],
    ] as const
  ) {
    const file = new File(["x"], filename, { type: "text/plain" });
    assert.deepEqual(await parse(...await multipart([[name, "1"], ["cv", file]])), {
      [name]: "1",
      cv: { filename, content_type: "text/plain", data: btoa("x") },
    });
  }
});

Deno.test("a part's name may be unquoted, and its header may be in capitals", async () => {
  const head = "CONTENT-DISPOSITION: form-data; filename=cv.txt; name=resume\r\n\r\nAnn";
  assert.deepEqual(await parse(parts(head), TYPE), {
    resume: { filename: "cv.txt", content_type: "application/octet-stream", data: btoa("Ann") },
  });
});

Deno.test("property: a multipart form is read as it was written", async () => {
  // Encoders of multipart forms normalize line ends, and write %22 both for a quotation mark and for a literal %22.
  const text = fc.string({ unit: character }).map((text) => text.replace(/[\r\n\0]/g, ""));
  const name = text.map((text) => `a${text.replaceAll("%", "")}`);
  const file = fc.tuple(fc.uint8Array(), name).map(([bytes, name]) => new File([bytes], name));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(name, fc.oneof(text, file))), async (fields) => {
      const expected: [string, unknown][] = [];
      for (const [name, value] of fields) {
        expected.push([name, typeof value === "string" ? value : btoa(String.fromCharCode(...await value.bytes()))]);
      }
      const read = Object.entries(await parse(...await multipart(fields))).flatMap(
        ([name, value]) =>
          [value].flat().map((one) => [name, typeof one === "string" ? one : (one as { data: string }).data]),
      );
      const sorted = (entries: unknown[][]) => entries.map((entry) => JSON.stringify(entry)).sort();
      assert.deepEqual(sorted(read), sorted(expected));
    }),
    { numRuns: 50 },
  );
});

Deno.test("property: a form is read as URLSearchParams reads it", async () => {
  const pieces = fc.oneof(
    fc.string({ unit: character }),
    fc.constantFrom("&", "=", "+", "%", "%4", "%41", "%zz", "%C3%A9", "%c3", "%EF%BB%BF", "%2B", "\ufeff"),
  );
  await fc.assert(fc.asyncProperty(fc.array(pieces), async (list) => {
    const text = list.join("").replace(/^\ufeff+/, "");
    const pairs = Array.from(new URLSearchParams(text), (pair) => pair.map(cleanText) as [string, string]);
    const names = Object.fromEntries(
      Map.groupBy(pairs, ([name]) => name).entries()
        .map(([name, all]) => [name, all.length === 1 ? all[0]![1] : all.map(([, value]) => value)]),
    );
    assert.deepEqual(await parse(text), names);
  }));
});

for (
  const [what, make] of [
    ["blanks in a part's type", (n: number) => [
      parts(...Array(96).fill(`${FIELD.split("\r\n")[0]}; filename=a\r\nContent-Type: ${" ".repeat(n)}x\r\n\r\n1`)),
      TYPE,
    ]],
    [
      "bytes beyond a bound in Latin-1",
      (n: number) => ["a=" + "%ff".repeat(n * 320), `${URL_ENCODED}; charset=iso-8859-1`],
    ],
    [
      "parameters of a part's head",
      (n: number) => [parts(`${FIELD.split("\r\n")[0]}${"; a".repeat(n / 4)}\r\n\r\n1`), TYPE],
    ],
  ] as [string, (n: number) => [string, string]][]
) {
  Deno.test(`${what} take time in proportion to their number`, async () => {
    const time = async (n: number) => {
      const times: number[] = [];
      for (let round = 0; round < 2; round++) {
        const [body, type] = make(n);
        const bytes = new TextEncoder().encode(body);
        const started = performance.now();
        await parse(bytes, type).catch((error) => assert.equal(error.code, "PAYLOAD_TOO_LARGE"));
        times.push(performance.now() - started);
      }
      return Math.min(...times);
    };
    await time(2_000);
    const [few, many] = [await time(2_000), await time(16_000)];
    assert(many < 30 * Math.max(few, 5), `${few} ms, ${many} ms`);
  });
}

Deno.test("property: no body causes any error but an ApiError", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(fc.string(), fc.constantFrom("--b", "\r\n", "--", FIELD, "=", "&", "%"))),
      fc.constantFrom(TYPE, URL_ENCODED),
      async (pieces, type) => {
        await parse(pieces.join(""), type).catch((error) => assert(error instanceof ApiError));
      },
    ),
  );
});
