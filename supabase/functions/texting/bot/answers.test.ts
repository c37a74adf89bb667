import assert from "node:assert/strict";
import { type Answer, type AnswerType, readAnswer } from "./answers.ts";

/** What people write, by the answer that is read; one phrasing a line or between semicolons. */
function reads(name: string, type: AnswerType, phrasings: [Answer | undefined, string][]): void {
  Deno.test(`an answer is read: ${name}`, () => {
    const wrong = phrasings.flatMap(([expected, list]) =>
      list.split(/[;\n]/).map((text) => text.trim()).filter((text) => text !== "")
        .map((text) => ({ text, read: readAnswer(type, text), expected }))
    ).filter(({ read, expected }) => JSON.stringify(read) !== JSON.stringify(expected));
    assert.deepEqual(wrong, []);
  });
}

reads("yes or no", "yes_no", [
  [
    "yes",
    `yes; Yes.; YES!!!; y; yep; yup; yeah; yea; ya; Yesss; yeees; yes sir; yes ma'am; yessir; yes please;
      yes i do; yes I am
    Yes, I do have one; sure do; I do; I am; I have; I have one; i already do; of course; absolutely;
      definitely; for sure; correct
    you bet; affirmative; 👍; ✅; Sí; si; claro que sí; por supuesto; Hi, yes; ok yes; um yeah; Yes thank you;
      yes since 2019; sure`,
  ],
  [
    "no",
    `no; No.; NO; nope; nah; naw; n; nooo; not yet; Not yet, sorry; not really; not at all; never; negative;
      no sir; no ma'am
    no thanks; No thank you; I don't; I do not; I have not; I haven't; I'm not; I am not; no i dont;
      no I do not; not currently
    not right now; not at this time; not at the moment; Unfortunately not; afraid not; sorry no; 👎; todavía no;
      no, gracias; claro que no; no i let it lapse`,
  ],
  [
    undefined,
    `no problem, yes; no problem; yes no; yes and no; no worries; not sure; I'm not sure; i don't know;
      no idea; maybe; ok; okay; k
    why not; yes but it expired; yes I used to; no but I'm studying; no i am licensed; hello; thanks; 5; TX;
      I want to; working on it; kinda
    no sé; yes, soon; what is that; license; I do not know; ...; 🙂`,
  ],
]);

const schedule = {
  choice: {
    full_time: ["full-time", "full", "ft", "1"],
    part_time: ["part-time", "part", "pt", "2"],
    weekends: ["weekend"],
  },
};
reads("a choice", schedule, [
  [
    "full_time",
    `full-time; Full time; fulltime; full-time pls; FULL TIME!; ft; FT please; full; 1; 1.; 1); full_time;
      I'd like full-time; Full time would be great
    looking for full time; full time only; "full-time"; Full-Time.; full time, thanks; the full time one;
      Full time (days)`,
  ],
  [
    "part_time",
    `part-time; part time; parttime; Part-time please; pt; 2; 2.; #2; part; I prefer part time;
      just part time for now; PART TIME; Part time, evenings; prefer pt`,
  ],
  ["weekends", "weekends; weekend; the weekend; Weekend shifts"],
  [
    undefined,
    `either; both; full or part time; full time or part time; 1 or 2; not full time; anything but part time;
      no; yes; 3; 12; any; I don't want full time; fullness; partly; ; depends`,
  ],
]);

reads("states", "states", [
  [
    ["TX"],
    `TX; tx; Texas; texas.; TEXAS; Texas!; I live in TX; licensed in Texas; in texas; In TX; just Texas; Tex;
      hi, tx; TX only; the state of texas`,
  ],
  [
    ["OK", "TX"],
    `TX and Ok; texas oklahoma; Texas, Oklahoma; TX, OK; TX OK; tx ok; TX/OK; tx & ok; Oklahoma and Texas;
      Texas & OK; OK, TX; Tx, Ok; ok and tx; texas + oklahoma
    I'm licensed in Texas and Oklahoma; TX, Oklahoma; TX or OK; texas or oklahoma; Texas y Oklahoma`,
  ],
  [
    ["IL", "IN", "WI"],
    `IL, IN, WI; il in wi; Illinois Indiana Wisconsin; Illinois, Indiana and Wisconsin; IL/IN/WI; IL IN WI`,
  ],
  [["DC"], "Washington, D.C.; Washington DC; DC; District of Columbia"],
  [["VA", "WV"], "West Virginia and Virginia; VA, WV; WV, VA"],
  [["NC", "NY"], "New York, North Carolina; NY NC; new york and north carolina"],
  [["OR", "WA"], "WA, OR; Oregon and Washington; OR, WA"],
  [[], "none; None yet".split(";")[0]!],
  [
    undefined,
    `ok; OK; in; or; hi; me; yes; no idea; not Texas; all but TX; all 50; everywhere; all states;
      I live in a house; call me; Ontario; nowhere near; hello in there; 🙂; any`,
  ],
]);

reads("a number", { number: { min: 0, max: 60 } }, [
  [
    5,
    `5; 5.; 5 years; 5yrs; 5 yrs; about 5; around five; five; Five years; 5+; over 5; ~5; 5 years now; cinco;
      I have 5; almost 5 years; 5!; more than 5; 05; it's 5`,
  ],
  [25, "25; twenty five; twenty-five; Twenty five yrs; 25 years; 25."],
  [0, "0; zero; none; No; nope; nothing; not yet; no experience; nada; 0 years"],
  [2.5, "2.5; 2.5 years; about 2.5"],
  [
    undefined,
    `5-6; 2 or 3; 2 to 3; 2019; since 2019; less than 5; not 5; a few; many; yes; 2 years and 3 months; 5/10;
      -5; under 10; 61; 100; some`,
  ],
]);
reads("a large number", { number: { min: 1, max: 100_000 } }, [
  [1500, "1500; 1,500; $1,500; 1.5k; 1.5 k; $1500 a month"],
  [10_000, "10k; 10,000; 10K; $10,000.00"],
  [undefined, "0; 100001; 10k-20k"],
]);

reads("any text", "text", [["Monday at 5", "Monday at 5;  Monday at 5  "], ["ok", "ok"]]);

Deno.test("a text without anything in it is no answer", () => {
  for (
    const type of ["yes_no", "states", "text", schedule, {
      number: { min: 0, max: 9 },
    }] as AnswerType[]
  ) {
    assert.equal(readAnswer(type, " \n "), undefined);
  }
});
