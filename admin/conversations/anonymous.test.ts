import assert from "node:assert/strict";
import { anonymous } from "./anonymous.ts";

const NAMES = [["Jo", "Ada"], ["Van Dyke", "Reed"], [null, "Maria"], ["J", "X"], ["O.K. Life", "Lakeshore"]] as const;

Deno.test("names, numbers, addresses and URLs are replaced, and what a reader reads stays", () => {
  const cases = {
    "this is Jo's wife, JO VAN  DYKE": "this is Ada's wife, Ada Reed",
    "Joy and jojo": "Joy and jojo",
    "J yes": "J yes",
    "o.k. life, okk life": "Lakeshore, okk life",
    "(312) 555-0142 or +1 312.555.0142": "(555) 555-5555 or +5 555.555.5555",
    "born 1/2/90, zip 60601, license #A12345": "born 5/5/55, zip 55555, license #A55555",
    "5 years, since 2015, 40 hours, 2 or 3": "5 years, since 2015, 40 hours, 2 or 3",
    "jo.x+1@mail.example.org!": "someone@example.com!",
    "see www.jo.example/x and linkedin.com/in/jo": "see https://example.com/ and https://example.com/",
    "ok.me too": "ok.me too",
  };
  for (const [text, without] of Object.entries(cases)) assert.equal(anonymous(text, NAMES), without);
});
