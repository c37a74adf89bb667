import assert from "node:assert/strict";
import { correctionIn, isSarcastic } from "./corrections.ts";
import { type PersonReason, personReason } from "./people.ts";

/** Texts of recruits, by the reason for which a person reads them; one between semicolons or line breaks. */
function goesTo(reason: PersonReason | undefined, list: string): void {
  Deno.test(`a person reads first: ${reason ?? "nothing of this"}`, () => {
    const wrong = list.split(/[;\n]/).map((text) => text.trim()).filter((text) => text !== "")
      .map((text) => ({ text, read: personReason(text) })).filter(({ read }) => read !== reason);
    assert.deepEqual(wrong, []);
  });
}

goesTo(
  "bereavement",
  `my husband passed away last week please; My mother died; we just lost our daughter; I'm at my dad's funeral
  planning a funeral; there was a death in the family; my best friend was killed; falleció mi abuela; he passed away; Ada died in May
  perdí a mi hermano`,
);
goesTo(
  "health",
  `I'm in the hospital; at the ER with my son; I have cancer; had a heart attack in May; recovering from surgery
  my son is sick; I'm really sick; starting chemo; was in a car accident; I broke my leg; in labor; estoy en el hospital
  he has a fever; at urgent care with the baby`,
);
goesTo(
  "distress",
  `I want to die; I don't want to live; I don't want to be alive anymore; im going to kill myself; I feel suicidal
  thinking of ending it all; I wish I was dead; can't go on anymore; no quiero vivir
  what's the point of living; nobody would miss me`,
);
goesTo(
  "legal",
  `I'll sue you; my lawyer will call; cease and desist; you'll regret this; this is harassment; TCPA
  I filed a complaint; that is illegal`,
);
goesTo(
  "minor",
  `I'm 16; im only fifteen; I am 17 years old; not 18 yet; I turn 18 in May; I'm in high school; hs junior here
  17 till June`,
);
goesTo(
  "other_person",
  `this is his wife; She's not here; he is at work; I'm her sister; soy su hermana; Ada's mom
  Jo is no longer at this number; idk who Ada is; my son has my phone`,
);
goesTo("wrong_number", `wrong number; you have the wrong person; nobody by that name; número equivocado`);
goesTo("language", `我不会说英语; je ne comprends pas; ich verstehe das nicht; não falo inglês; no hablo inglés`);
goesTo("accessibility", `I'm deaf; I am legally blind; I use a screen reader; soy sorda`);
goesTo(
  "busy",
  `at work; I'm at work rn; driving; I'm driving, will text later; in a meeting; can't talk right now; ttyl
  busy; I'm in class; estoy manejando; bad time; text you later
  on a call; on shift until nine`,
);
goesTo(
  "machine",
  `I’m driving with Do Not Disturb While Driving turned on; Auto-reply: back on Monday; I am out of the office
  This is an automated message; FreeMsg: the number cannot receive messages; Ada has notifications silenced
  The person you are trying to reach is not available
  Thanks for your message, we will get back to you shortly; I am away and will reply when I return`,
);
goesTo(
  undefined,
  `I work in a hospital; I lost my license; I passed the exam last week; I sell funeral insurance; I was a lawyer
  I don't want to live in Texas; I'm 18; I'm 45; 17 years; I'm 10 years in; my wife is licensed; my mom told me about it
  I typed it wrong; I have a driving license; I drive for a living; was at work. yes; yes, I use it at work; full time
  I used to be an attorney; I kill it in sales; I'm sick of my job; not automated; I'm dead serious; yes; no; TX
  I don't know; sí, tengo licencia; si señor; tengo 15 años en ventas; I went to high school; out of state; soon
  I broke my phone; yes at the moment; no meetings please; I have an older brother; the exam was a killer
  my phone died; the lead died; I lost the count; fever dreams; my complaint was heard; a legal assistant; senior agent
  I don't know who my manager is; phone sales; was on a call; shift work; a call center; thank you for your message`,
);

Deno.test("a correction is what follows its mark", () => {
  const corrections = {
    "wait I meant yes": "yes",
    "oops IL": "IL",
    "Oops, I meant no": "no",
    "actually part time": "part time",
    "sorry i mean full time": "full time",
    "Ohio*": "Ohio",
    "perdón, quise decir sí": "sí",
  };
  for (const [text, said] of Object.entries(corrections)) assert.equal(correctionIn(text)?.said, said, text);
  for (const text of ["yes", "I waited", "oops", "sorry", "I mean", "waiter", "meaning", "actual", "no"]) {
    assert.equal(correctionIn(text), undefined, text);
  }
});

Deno.test("what is marked as sarcasm says the opposite", () => {
  for (const text of ["yeah right", "oh yeah sure 🙄", "yes jk", "as if", "sure jan"]) assert(isSarcastic(text), text);
  for (const text of ["yes", "jk yes", "yeah right here", "right", "certainly not"]) assert(!isSarcastic(text), text);
});
