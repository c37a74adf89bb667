import type postgres from "postgres";
import type { StackInfo } from "../local/mod.ts";
import { Random } from "../testing/random.ts";
import type { Receiver } from "../testing/receiver/receiver.ts";
import type { TwilioDouble } from "../testing/twilio/double.ts";
import type { Message } from "../testing/twilio/messages.ts";
import { asUser } from "./agencies.ts";
import { SILENT, VENDORS } from "./cast.ts";
import { Applicants, firstNumber } from "./plan.ts";
import { Recruit, textUs } from "./recruits.ts";
import type { VendorClient } from "./vendors.ts";
import { receive } from "./receive.ts";
import { ANSWERS } from "./world.ts";

export interface LifeTools {
  stack: StackInfo;
  sql: postgres.Sql;
  vendors: VendorClient;
  twilio: TwilioDouble;
  receiver: Receiver;
}

export interface LifeOptions {
  /** The leads that vendors post a minute. */
  pace: number;
  seed: number;
  say(text: string): void;
}

/** After this time one vendor posts nothing any more. */
const SILENT_AFTER_MS = 5 * 60_000;
/** How often agents and alerts are looked at, in milliseconds. */
const LOOK_EVERY_MS = 5_000;
/**
 * What goes on after the world was made: vendors post, recruits answer, agents write, and alerts open. Each event is
 * said in one line, with first names alone.
 */
export class Life {
  readonly #tools: LifeTools;
  readonly #options: LifeOptions;
  readonly #random: Random;
  readonly #applicants: Applicants;
  readonly #recruits = new Map<string, Recruit>();
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();
  readonly #running = new Set<Promise<void>>();
  /** First names by phone. */
  readonly #names = new Map<string, string>();
  readonly #alerts = new Map<string, string>();
  #startedAt = 0;
  #posted = 0;
  #isStopped = false;

  constructor(tools: LifeTools, options: LifeOptions) {
    this.#tools = tools;
    this.#options = options;
    this.#random = new Random(options.seed + 1);
    this.#applicants = new Applicants(this.#random, firstNumber(Date.now()));
  }

  async start(): Promise<void> {
    const { twilio, receiver, sql } = this.#tools;
    for (
      const { phone, first_name }
        of await sql`select phone, first_name from public.recruiting_leads where phone is not null`
    ) {
      this.#names.set(phone, first_name);
    }
    this.#startedAt = Date.now();
    twilio.onAccepted = (message) => this.#texted(message);
    receiver.onDelivery = (delivery) => {
      const { agency, event, verdict } = receive(delivery);
      this.#say(`receiver  ${event} for ${agency}: ${verdict.status === 204 ? "taken" : "refused, known already"}`);
      return verdict;
    };
    this.#every(60_000 / this.#options.pace, () => this.#post());
    this.#every(LOOK_EVERY_MS, () => this.#answer());
    this.#every(LOOK_EVERY_MS, () => this.#lookAtAlerts());
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timers.forEach(clearTimeout);
    await Promise.all(this.#running);
  }

  /** Runs something at once and then again and again. What fails, as while the stack stops, is tried the next time. */
  #every(milliseconds: number, run: () => Promise<void>): void {
    this.#run(run);
    this.#after(milliseconds, () => this.#every(milliseconds, run));
  }

  #after(milliseconds: number, run: () => void): void {
    if (this.#isStopped) return;
    const timer = setTimeout(() => (this.#timers.delete(timer), run()), milliseconds);
    this.#timers.add(timer);
  }

  #run(act: () => Promise<void>): void {
    const running = act().catch(() => {}).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  #say(text: string): void {
    this.#options.say(`${new Date().toTimeString().slice(0, 8)} ${text}`);
  }

  async #post(): Promise<void> {
    const isSilent = Date.now() - this.#startedAt > SILENT_AFTER_MS;
    const others = VENDORS.filter(({ slug }) => slug !== SILENT);
    // Every sixth one is of the vendor that falls silent later.
    const vendor = this.#posted % 6 === 0 && !isSilent ? VENDORS.at(-1)! : others[this.#posted % others.length]!;
    const applicant = this.#applicants.next(vendor);
    if (++this.#posted === 4) this.#tools.twilio.fail({ to: applicant.phone, code: 21614 });
    this.#names.set(applicant.phone, applicant.first);
    const { body } = await this.#tools.vendors.post(applicant);
    const [placed] = await this.#tools.sql`
      select a.first_name as agent, g.name as agency from public.recruiting_leads l
      join public.agencies g on g.id = l.agency_id left join public.agents a on a.id = l.agent_id
      where l.id = ${typeof body.id === "string" ? body.id : null}`;
    const result = body.status === "created"
      ? placed ? `goes to ${placed.agent ?? "nobody yet"} of ${placed.agency}` : "waits: no open order wants it"
      : body.status === "ignored"
      ? "is fetched from Meta"
      : `is refused: ${JSON.stringify(body.error ?? body.status)}`;
    this.#say(`lead      ${vendor.name}: ${applicant.first} from ${applicant.state} ${result}`);
  }

  /** One of our texts was sent. The recruit reads it, and answers within a minute or two. */
  #texted({ to, from, body }: Message): void {
    this.#say(`text      to ${this.#names.get(to) ?? "a person"}: ${shortened(body)}`);
    // People whom somebody else has invented are theirs.
    if (!this.#names.has(to)) return;
    const recruit = this.#recruits.get(to) ?? new Recruit(to, from!, this.#random.pick([...Array(300).keys()]), true);
    this.#recruits.set(to, recruit);
    if (this.#random.happens(0.2)) return;
    const wait = (4 + this.#random.next() * 60) * 1_000 * Math.min(1, 6 / this.#options.pace);
    this.#after(wait, () =>
      this.#run(async () => {
        for (const text of recruit.reply(body)) {
          this.#say(`recruit   ${this.#names.get(to)}: ${shortened(text)}`);
          await textUs(this.#tools.stack, this.#tools.twilio, recruit, text);
        }
      }));
  }

  /** An agent answers somebody who has waited for a minute. */
  async #answer(): Promise<void> {
    const { sql } = this.#tools;
    const [waiting] = await sql`
      select c.id, a.email, a.first_name as agent, l.first_name as recruit
      from public.recruiting_conversations c
      join public.agents a on a.id = c.assigned_agent_id and a.is_active and a.away_until is null
      join public.recruiting_leads l on l.id = c.recruiting_lead_id
      where c.status = 'escalated' and c.waiting_since between now() - interval '10 minutes' and now() - interval '1 minute'
        and a.first_name <> 'James'
      order by c.waiting_since limit 1`;
    if (!waiting || this.#random.happens(0.5)) return;
    const words = this.#random.pick(ANSWERS).replace("{name}", waiting.recruit);
    await asUser(
      sql,
      waiting.email,
      (sql) => sql`select public.send_text(${waiting.id}, ${words}, ${crypto.randomUUID()})`,
    );
    this.#say(`agent     ${waiting.agent} answers ${waiting.recruit}`);
  }

  /** Says which alerts have opened and ended. Those of the world are not said. */
  async #lookAtAlerts(): Promise<void> {
    const alerts = await this.#tools.sql`select id, name, problem from public.alert_list where state <> 'resolved'`;
    const isFirst = this.#alerts.size === 0;
    const open = new Map(alerts.map(({ id, name, problem }) => [id as string, `${name}: ${problem}`]));
    for (const [id, words] of open) if (!this.#alerts.has(id) && !isFirst) this.#say(`alert     ${words}`);
    for (const [id, words] of this.#alerts) if (!open.has(id)) this.#say(`alert     over: ${words}`);
    this.#alerts.clear();
    open.forEach((words, id) => this.#alerts.set(id, words));
  }
}

/** A text in one line. No person's number is in one of the bot's; a recruit may write one. */
function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").replaceAll(/\+?\d[\d ()-]{6,}\d/g, "…");
  return line.length > 90 ? `${line.slice(0, 89)}…` : line;
}
