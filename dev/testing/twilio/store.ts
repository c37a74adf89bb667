/** A message of the double's account. Times are ISO 8601. */
export interface Message {
  sid: string;
  direction: "outbound-api" | "inbound";
  status: string;
  to: string;
  from: string | null;
  body: string;
  messaging_service_sid: string | null;
  error_code: number | null;
  media: { sid: string; url: string; content_type: string }[];
  date_created: string;
  date_updated: string;
  date_sent: string | null;
  /** The parameters of the request that created it. Empty for an inbound one. */
  parameters: Record<string, string>;
  /** The callbacks that are still to be sent, as statuses in their order. */
  due_callbacks: string[];
}

/** The messages of the double's account, in a file that outlives a killed process. */
export class Store {
  readonly #file: Deno.FsFile;
  /** By sid, oldest first. */
  readonly #messages = new Map<string, Message>();

  /** Opens the file, or makes it. Each line is a message as it was after a change; the last one counts. */
  constructor(path: string) {
    this.#file = Deno.openSync(path, { create: true, read: true, append: true });
    const text = Deno.readTextFileSync(path);
    // A line that a killed process has not finished belongs to a message that was never accepted.
    const complete = text.slice(0, text.lastIndexOf("\n") + 1);
    Deno.truncateSync(path, new TextEncoder().encode(complete).length);
    for (const line of complete.split("\n").filter(Boolean)) this.#keep(JSON.parse(line));
  }

  /** All messages, oldest first. */
  all(): Message[] {
    return [...this.#messages.values()];
  }

  get(sid: string): Message | undefined {
    return this.#messages.get(sid);
  }

  /** Adds a message, or stores what has changed in it. */
  put(message: Message): void {
    message.date_updated = new Date().toISOString();
    let bytes = new TextEncoder().encode(`${JSON.stringify(message)}\n`);
    while (bytes.length > 0) bytes = bytes.subarray(this.#file.writeSync(bytes));
    this.#keep(message);
  }

  /** Whether the recruit has texted STOP to this number, and not START since. */
  isOptedOut(recruit: string, number: string): boolean {
    const keywords = this.all()
      .filter(({ direction, from, to }) =>
        direction === "inbound" && from === recruit && to === number
      )
      .map(({ body }) => body.trim().toUpperCase())
      .filter((body) => STOP.includes(body) || START.includes(body));
    return STOP.includes(keywords.at(-1) ?? "");
  }

  #keep(message: Message): void {
    this.#messages.set(message.sid, message);
  }
}

/** https://help.twilio.com/articles/223134027: Twilio's default keywords for numbers of the USA. */
const STOP = ["STOP", "STOPALL", "UNSUBSCRIBE", "CANCEL", "END", "QUIT", "REVOKE", "OPTOUT"];
const START = ["START", "UNSTOP", "YES"];
