import { join } from "node:path";
import { getExpectedTwilioSignature } from "twilio/lib/webhooks/webhooks.js";
import { readConversations } from "../../admin/conversations/folder.ts";
import { turnsOf } from "../../admin/conversations/play.ts";
import type { Script } from "../../supabase/functions/worker/bot/step.ts";
import { ROOT, type StackInfo } from "../local/mod.ts";
import { ACCOUNT } from "../testing/twilio/account.ts";
import type { TwilioDouble } from "../testing/twilio/double.ts";

/** The script of every agency. */
const SCRIPT_FILE = join(ROOT, "docs/examples/bot_script.json");
export const SCRIPT: Script = JSON.parse(Deno.readTextFileSync(SCRIPT_FILE));

/** What people write to the bot, from the conversations by which the bot is tested: in each the texts of turns. */
const CORPUS = readConversations(join(ROOT, "supabase/functions/worker/bot/conversations"), SCRIPT_FILE)
  .filter(({ script }) => script.opening === SCRIPT.opening)
  .map(({ script, conversation }) => {
    const { before, after } = turnsOf(script, conversation);
    return [...before, ...after];
  });

/** How one answers the questions of the script when nothing else comes to mind. */
const ANSWERS: Record<string, string[]> = {
  licensed: ["Yes", "yes I do", "No", "not yet"],
  states: ["Texas and Oklahoma", "IL", "NY, NJ"],
  interested: ["Yes", "I would"],
  hours: ["full time", "Part time please"],
  years: ["3", "about 5 years", "none"],
};

/** A person who is texted, and answers as a person of the corpus does. */
export class Recruit {
  #turns: string[][];
  /** Of our texts. */
  #last = "";

  /**
   * @param n which person of the corpus it is
   * @param finishes whether the person goes on answering afterwards, until the bot has no question left
   */
  constructor(readonly phone: string, readonly service: string, readonly n: number, readonly finishes: boolean) {
    this.#turns = [...CORPUS[n % CORPUS.length]!];
  }

  /** Takes one of our texts, and returns the replies; none if the person has nothing to say. */
  reply(ours: string): string[] {
    const isNew = ours !== this.#last;
    this.#last = ours;
    const turn = this.#turns.shift();
    if (turn !== undefined) return turn;
    const asked = SCRIPT.questions.find(({ ask, retry }) => ours.includes(ask) || retry && ours.includes(retry));
    const answers = asked && ANSWERS[asked.id];
    return this.finishes && isNew && answers ? [answers[this.n % answers.length]!] : [];
  }
}

/** Sends a recruit's text as Twilio does: signed, after the double has received it. */
export async function textUs(
  stack: StackInfo,
  twilio: TwilioDouble,
  { phone, service }: Pick<Recruit, "phone" | "service">,
  body: string,
): Promise<void> {
  const { sid } = twilio.receive({ from: phone, to: service, body });
  const url = `${stack.functions_url}/recruiting/sms/inbound`;
  const parameters = { From: phone, To: service, Body: body, MessageSid: sid };
  const response = await fetch(url, {
    method: "POST",
    headers: { "x-twilio-signature": getExpectedTwilioSignature(ACCOUNT.authToken, url, parameters) },
    body: new URLSearchParams(parameters),
  });
  await response.body?.cancel();
}
