import assert from "node:assert/strict";
import { type Intent, intentOf } from "./intents.ts";

const HANDOFF_WORDS = ["agent", "human", "person", "call me"];

/** The words of recruits, by the intent that is heard; one phrasing between semicolons or line breaks. */
function hears(intent: Intent | undefined, list: string): void {
  Deno.test(`a recruit's text is heard: ${intent ?? "nothing but, perhaps, an answer"}`, () => {
    const wrong = list.split(/[;\n]/).map((text) => text.trim()).filter((text) => text !== "")
      .map((text) => ({ text, heard: intentOf(text, HANDOFF_WORDS) }))
      .filter(({ heard }) => heard !== intent);
    assert.deepEqual(wrong, []);
  });
}

hears("help", "HELP; help; Help; Help!; HELP.; “HELP”");

hears(
  "not_interested",
  `not interested; Not interested!; NOT INTERESTED.; I'm not interested; I’m not interested; im not intrested;
  I am no longer interested
  no longer interested; No longer interested, sorry; not really interested; not interested anymore;
  not interested at this time
  no thanks not interested; No, I'm not interested; not interested, but thank you; thanks but not interested;
  yes but not interested
  not interested in this job; I'm not interested in the position; not interested in working there; I've lost interest
  I found another job; found a job; I have found another job; found a new position; already found a job; I found work
  I accepted another offer; I took another position; I got a new job; I got another job, thanks;
  went with another company
  no longer looking; not looking; I'm not looking for a job; not looking anymore; no longer looking for work
  I have a job now; please remove me from consideration; I decided to go with another company;
  not interested in insurance sales
  I’m working somewhere else now; changed my mind; I'll pass; I will pass; not for me; that's not for me;
  I do not want this job;
  withdraw my application
  no me interesa; ya no me interesa; ya encontré trabajo; No estoy interesada`,
);

hears(
  "bot",
  `are you a bot; Are you a bot?; r u a robot; are you a real person; are you human; is this a bot;
  is this a real person?
  am I talking to a human; is this automated; are you an agent; bot?; Is this a robot texting me; eres un robot
  am I talking to AI; am i texting a machine`,
);

hears(
  "about",
  `who is this; Who is this?; Who’s this?; whos this; who r u; who are you; who dis; new phone who dis; Who am I texting
  hi, who is this; sorry who is this; who do you work for; what company is this; what company; What's your name?
  what is this; What is this about?; whats this about; what is this regarding; what job is this;
  what kind of job is this
  Is this a scam?; is this legit
  how much does it pay; How much does it pay?; how much does the job pay; what does it pay; What does this job pay?
  what's the pay; Whats the pay?; what is the salary; how much; how much?; pay?; salary; what is the starting pay;
  how do I get paid
  is it commission only; how much can I make; do you pay weekly; how did you get my number; where did you get my number?
  whats the hourly; may I ask who this is; what is this job about; base pay
  quién es; ¿Quién eres?; cuánto pagan; ¿Cuánto pagan?; de qué se trata`,
);

hears(
  "question",
  `Is it remote?; is it remote? 🙂; "is it remote?"; “Is it remote?”; What hours?; when do I start?; yes?; TX?; ?
  where are you located ?`,
);

hears(
  "person",
  `agent; AGENT; Agent please; I want an AGENT; I want an experienced agent; talk to an agent; I need a person; human;
  human please
  call me; Call me please; please call me.; call me at 5; can you call me; please call; please give me a call;
  Give me a call
  gimme a call; give me a ring; I'd prefer a call; Can I get a call; call please; can someone call me;
  I'd like to speak to someone;
  can I talk to a real person
  let me talk to a person; can we talk; I'd rather talk on the phone; real person please; llámame;
  quiero hablar con una persona
  I am waiting for an agent; I have been waiting for an agent; I was told an agent would call; I'm looking for an agent
  I've been trying to reach an agent for 5 days; I am frustrated, agent; I'm a driver and I want an agent;
  insurance agent
  Are you a bot? I want an agent; What does it pay? Call me; not interested in texting, call me`,
);

hears(
  undefined,
  `I have been an agent for 5 years; I've been an agent for 5 years; I’ve been an agent since 2019;
  been an agent 5 years
  I'm an agent; I am a licensed agent; I am licensed agent; I was an insurance agent; I'm a State Farm agent;
  I am not an agent
  Yes, I am an agent with State Farm; I used to be an agent; I want to be an agent; I want to become an agent;
  former agent
  I work as an agent; I worked as an insurance agent; 5 years as an agent; agent for 5 years; my wife is an agent
  I have my agent license; I'm a people person; I am a real person; in person; I prefer to work in person
  I worked in human resources; real estate agent; they call me Al; the agents; agency
  not interested in part time; not looking for part time; not interested unless it's remote;
  I haven't found another job yet
  I'm interested; still interested; very interested; if I found another job; not interested but my friend is
  I got my first job in 2010; I will pass the exam; I will pass my test soon; no; no thanks; yes; never
  yes; TX; 5; full time; hello; hi; thanks; 🙂; I know who you are; I was paid weekly; my last job pays well;
  I don't care what it pays
  I talk on the phone all day; my salary was 50k; I want good pay; commission only jobs; I know what is needed;
  what about Monday; whats up
  Liked “Who is this?”; Liked "reply AGENT"; Loved “call me”; Emphasized “HELP”; Questioned “Do you hold a license?”
  Laughed at “agent”; 👍 to “agent”; Reacted 😂 to “Is it?”; Removed a heart from “agent?”; Le gustó “¿agent?”;
  I liked the job; help me`,
);
