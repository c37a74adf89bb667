import assert from "node:assert/strict";
import { type AnswerType, type AnswerValue, readAnswer } from "./answers.ts";

const NOW = new Date("2026-11-24T12:00:00Z");

/** The words of recruits, by the answer that is read;
one phrasing a line or between semicolons, where | begins a new line. */
function reads(name: string, type: AnswerType, phrasings: [AnswerValue | undefined, string][], ask = ""): void {
  Deno.test(`an answer is read: ${name}`, () => {
    const wrong = phrasings.flatMap(([expected, list]) =>
      list.split(/[;\n]/).map((text) => text.trim().replaceAll("|", "\n")).filter((text) => text !== "")
        .map((text) => ({ text, read: readAnswer(type, text, ask, NOW), expected }))
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
    no sé; yes, soon; what is that; license; I do not know; ...; 🙂
    no longer interested; no longer; no, I have it; I am licensed; I would; yes I'm in the process of getting it
    Liked “Still looking? YES or NO”; Loved "yes"; 👍 to “Still looking?”; Reacted 👍 to “yes”; Removed a like from “no”
    Emphasized “yes”; Questioned “Still looking?”; Laughed at “no”; Disliked “yes”; Le gustó “yes”; Liked an image`,
  ],
]);

reads("a license", "yes_no", [
  [
    "yes",
    `I am licensed; I'm licensed; I’m licensed; licensed; Licensed!; I have a license; I have my license;
    I hold a license
    I have a life insurance license; got my license last year; I'm fully licensed; I am licensed in TX and OK; I do
    I'm a licensed agent; I've been licensed since 2015; yes I'm licensed; Yes, licensed in Texas since 2019; I am
    Yes I have been licensed for 5 years; yes I am currently licensed; yes, life and health; I've got one; yep 👍🏽;
    sí, tengo
    Yes!||Sent from my iPhone; yes since 2019; tengo licencia; yes i currently have one`,
  ],
  [
    "no",
    `I am not licensed; I'm not licensed; I’m not licensed; Im not currently licensed; not licensed; not licensed yet
    unlicensed; no license; I have no license; I don't have a license; I do not have a life insurance license;
    never licensed
    No I'm not licensed; no, I never got it; no it expired; unfortunately I do not; I haven't yet; not as of yet
    no longer licensed; no tengo licencia`,
  ],
  [
    undefined,
    `yes I'm in the process of getting it; yes, in process; in the process; getting licensed; I was licensed;
    yes pending
    yes but it expired; yes I used to be; Yes I will; yes I would; yes I passed my exam; yes I want to; no I am licensed
    yes I'm not licensed; I am licensed but it expired; I have a health license; I have a driver's license;
    yes, health only
    licensed soon; I'm getting my license; my license is pending; license; no longer interested;
    not licensed but studying
    I plan to be licensed; Liked “Do you hold a life insurance license? YES or NO”`,
  ],
], "Do you hold a life insurance license? YES or NO");
reads("a license that is to come", "yes_no", [
  ["yes", "yes; yes I would; yes I will; sure; definitely; yes I'm interested; yes that works; Yes, sounds good"],
  ["no", "no; no I wouldn't; not at this time"],
  [undefined, "I am licensed; I'm not licensed; yes, I would love to, how; licensed; maybe"],
], "Could you get licensed within two months? YES or NO");

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
    40 hours; 40 hrs a week; tiempo completo; jornada completa por favor; about 40 hours a week
    looking for full time; full time only; "full-time"; Full-Time.; full time, thanks; the full time one;
      Full time (days)`,
  ],
  [
    "part_time",
    `part-time; part time; parttime; Part-time please; pt; 2; 2.; #2; part; medio tiempo; 20 hours; about 20 hours a week; I prefer part time;
      just part time for now; PART TIME; Part time, evenings; prefer pt`,
  ],
  ["weekends", "weekends; weekend; the weekend; Weekend shifts"],
  [
    undefined,
    `either; both; full or part time; full time or part time; 1 or 2; not full time; anything but part time;
      no; yes; 3; 12; any; I don't want full time; call in 20 hours; 33 hours; I already work full time; a full time student; fullness; partly; ; depends`,
  ],
]);

reads("states", "states", [
  [
    ["TX"],
    `TX; tx; Texas; texas.; TEXAS; Texas!; I live in TX; licensed in Texas; in texas; In TX; just Texas; Tex;
      hi, tx; TX only; the state of texas; IN TEXAS; yes TX; Yes, Texas; hi there TX; TX, thank you; TX 🤠
    TX|Sent from my iPhone; I am from Texas; just TX for now`,
  ],
  [
    ["OK", "TX"],
    `TX and Ok; texas oklahoma; Texas, Oklahoma; TX, OK; TX OK; tx ok; TX/OK; tx & ok; Oklahoma and Texas;
      Texas & OK; OK, TX; Tx, Ok; ok and tx; texas + oklahoma
    I'm licensed in Texas and Oklahoma; TX, Oklahoma; TX or OK; texas or oklahoma; Texas y Oklahoma
    OK TX; ok tx; Ok Tx; ok, tx; OK and Texas; I'm licensed in TX and OK; licensed in tx and ok; TX (resident), OK
    Texas|Oklahoma; I have TX and OK licenses`,
  ],
  [
    ["IL", "IN", "WI"],
    `IL, IN, WI; il in wi; Illinois Indiana Wisconsin; Illinois, Indiana and Wisconsin; IL/IN/WI; IL IN WI`,
  ],
  [
    ["IN", "OH"],
    "in and oh; IN and OH; In and Oh; oh and in; Indiana, Ohio; IN, OH; licensed in in and oh; indiana and oh",
  ],
  [["AL", "LA", "MS"], "AL MS LA; al ms la; AL, MS, LA; al, ms and la; Alabama, Mississippi, Louisiana; AL/MS/LA"],
  [
    ["NC", "SC"],
    `north and south carolina; North & South Carolina; north/south carolina; south and north carolina; the carolinas
    both Carolinas; N. Carolina and S. Carolina; north carolina, south carolina; NC and SC;
    licensed in North and South Carolina`,
  ],
  [["ND", "SD"], "north and south dakota; the Dakotas"],
  [["ME", "NH", "VT"], "ME NH VT; me, nh, vt; nh vt me; Maine, NH and VT"],
  [["MI"], "MI; Michigan; in MI"],
  [["IN"], "IN; IN."],
  [["NJ", "NY"], "Nueva York y Nueva Jersey"],
  [["NC"], "Carolina del Norte"],
  [["MI", "OH"], "mi, oh; MI OH; Michigan and Ohio; mi and oh"],
  [["HI"], "Hawaii; in Hawaii"],
  [["CA", "HI"], "HI and CA; hi and ca; ca, hi; CA HI"],
  [["CA", "WA"], "WA or CA; wa or ca; Washington or California"],
  [["DC"], "Washington, D.C.; Washington DC; DC; District of Columbia"],
  [["VA", "WV"], "West Virginia and Virginia; VA, WV; WV, VA"],
  [["NC", "NY"], "New York, North Carolina; NY NC; new york and north carolina"],
  [["OR", "WA"], "WA, OR; Oregon and Washington; OR, WA"],
  [[], "none; None yet"],
  [
    undefined,
    `ok; OK; in; or; hi; me; yes; no idea; not Texas; all but TX; everywhere; all states;
      I live in a house; call me; Ontario; nowhere near; hello in there; 🙂; any
    Texas, Flordia; Flordia; TX, OK and 3 others; TX and more; Texas and soon Oklahoma; TX pending; moving to TX; TX 5
    Ok; OK.; ME; HI; OR; oh; OH; la; ok thanks; ok, in; oh, ok; oh ok; OH OK; I'm in; count me in; me too;
    Me and you; hi there
    OK, Texas; ok texas; Texas ok; ok|TX; TX|ok; I live in ok; in oh; WA OR CA; No, TX; TX but not OK;
    all 50 states but NY
    Liked “In which states are you licensed? For example: TX, OK”; 👍 to “TX, OK”; used to be licensed in TX; U.S.;
    multiple`,
  ],
]);

Deno.test("all 50 states are read, without the District of Columbia and the territories", () => {
  for (
    const text of ["all 50 states", "All 50 States!", "I'm licensed in all 50 states", "all fifty states", "all 50"]
  ) {
    const read = readAnswer("states", text) as string[];
    assert.deepEqual([read.length, read.includes("DC"), read.includes("WY")], [50, false, true], text);
  }
  assert.equal((readAnswer("states", "all 50 states and DC") as string[]).length, 51);
});

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

reads("a number of years", { number: { min: 0, max: 60 } }, [
  [
    5,
    `5; 5 years; 5yrs; 5y; 5+ years; over 5 years; 5 years in sales; 5 years of experience; five (5) years;
    cinco años; 5ish
    I have been an agent for 5 years; I've worked 5 years in sales; 5 years as an agent; 5 years, thanks
    5 full years; 5 good yrs`,
  ],
  [1, "1 year; one year; 1 yr; a year"],
  [0.5, "6 months; 6 mos; 6mo; 6 month; six months; 6 meses; half a year; medio año"],
  [1.5, "18 months; 1 and a half; 1 1/2; a year and a half; 1 year and a half; 1 year 6 months"],
  [2.25, "2 years 3 months; 2 years and 3 months"],
  [2, "a couple; a couple of years; un par de años; dos"],
  [2.5, "two and a half; two and a half years; 2 1/2 years; dos años y medio; 2 yrs 6 mos"],
  [11, "since 2015; Since 2015.; desde 2015; I've been in sales since 2015"],
  [15, "quince; fifteen"],
  [20, "2 decades; two decades; veinte"],
  [10, "10 years in real estate; 10 yes; ten; a decade; about a decade"],
  [
    undefined,
    `6 weeks; 3 days; 5 hours; a few; half; a couple of kids; last decade; since Monday; since 2050; since 1900;
    less than 1 year; 5 kids; 5 states; 3 companies; 35 years old; at 5; 5pm; 5 pm;
    5:30; 5%; $5
    in 5 years; 5 years from now; 5 years ago; next 5 years; since 5; 5th year; Loved "5 years"
    Liked “How many years have you worked in sales? 0 to 60”`,
  ],
], "How many years have you worked in sales?");
reads("a number of months", { number: { min: 0, max: 600 } }, [
  [6, "6; 6 months; 6mo"],
  [undefined, "5 years; 6 weeks; 1 year 6 months"],
], "How many months have you worked in sales?");
reads("a number a month", { number: { min: 0, max: 600 } }, [
  [20, "20; 20 a month; 20 policies; 20 policies a month; 20/month; 20 per month"],
  [undefined, "20 a week; 20 a year; 20 days"],
], "How many policies do you sell a month?");

reads("any text", "text", [["Monday at 5", "Monday at 5;  Monday at 5  "], ["ok", "ok"], [
  undefined,
  "Liked “Since when?”",
]]);

Deno.test("a text without anything in it is no answer", () => {
  for (
    const type of ["yes_no", "states", "text", schedule, {
      number: { min: 0, max: 9 },
    }] as AnswerType[]
  ) {
    assert.equal(readAnswer(type, " \n "), undefined);
  }
});
