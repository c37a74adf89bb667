import { createServer, type IncomingMessage, type Server } from "node:http";
import { type Account, API_VERSION, isAuthorized } from "./account.ts";
import { type CallbackPlan, deliver, postSigned, USUAL_CALLBACKS } from "./callbacks.ts";
import { refusal } from "./errors.ts";
import { type Fault, Faults, withFault } from "./faults.ts";
import {
  inboundMessage,
  type InboundText,
  listMedia,
  listMessages,
  messageResource,
  newMessage,
  unknownResource,
  whyRefused,
} from "./messages.ts";
import { DROPPED, type Reply } from "./reply.ts";
import type { Message, Store } from "./store.ts";

interface Request {
  method: string;
  path: string;
  query: URLSearchParams;
  authorization: string | undefined;
  body: string;
}

/** A double of the part of Twilio's REST API that texting uses, with a control path below `/double` for tests. */
export class Double {
  readonly #account: Account;
  readonly #store: Store;
  readonly #faults = new Faults();
  #plan: CallbackPlan = USUAL_CALLBACKS;
  /** How many requests came to Twilio's paths. */
  #requests = 0;

  constructor(account: Account, store: Store) {
    this.#account = account;
    this.#store = store;
    // What a killed process has not told yet.
    for (const message of store.all()) deliver(store, account, message, USUAL_CALLBACKS);
  }

  /** The HTTP server, which does not listen yet. It is node:http, because a connection can be closed without a response. */
  server(): Server {
    return createServer(async (incoming, response) => {
      // A caller that is killed breaks off in its request.
      const reply = await read(incoming).then(
        (request) => this.#reply(request),
        (): typeof DROPPED => DROPPED,
      );
      if (reply === DROPPED) return incoming.socket.destroy();
      response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers });
      response.end(JSON.stringify(reply.body));
    });
  }

  async #reply(request: Request): Promise<Reply | typeof DROPPED> {
    const { method, path, query } = request;
    if (path.startsWith("/double/")) {
      return { status: 200, body: await this.#control(request) ?? null };
    }

    this.#requests++;
    const own = `/${API_VERSION}/Accounts/${this.#account.sid}/Messages`;
    if (!isAuthorized(this.#account, request.authorization)) return refusal(20003);
    if (path === `${own}.json`) {
      const isList = method === "GET";
      const form = isList ? query : new URLSearchParams(request.body);
      return withFault(
        this.#faults.take(method, form.get("To")),
        () => isList ? listMessages(this.#account, this.#store, query) : this.#create(form),
      );
    }
    const [, sid, media] = /^\/(\w+)(\/Media)?\.json$/.exec(path.replace(own, "")) ?? [];
    const message = sid && this.#store.get(sid);
    if (!message || method !== "GET") return unknownResource(path);
    if (media) return listMedia(this.#account, message);
    return { status: 200, body: messageResource(this.#account, message) };
  }

  #create(form: URLSearchParams): Reply {
    const code = whyRefused(this.#store, form);
    if (code !== undefined) return refusal(code);
    const message = newMessage(
      form,
      [...this.#plan.statuses]
        .flatMap((status) => Array(this.#plan.copies).fill(status)),
    );
    this.#store.put(message);
    deliver(this.#store, this.#account, message, this.#plan);
    return { status: 201, body: messageResource(this.#account, message) };
  }

  /** What tests ask for. `double.ts` has a method for each. */
  async #control({ path, method, body }: Request): Promise<unknown> {
    const given = body && JSON.parse(body);
    switch (`${method} ${path}`) {
      case "GET /double/log":
        return { messages: this.#store.all(), requests: this.#requests };
      case "POST /double/faults":
        return this.#faults.add(given as Fault);
      case "DELETE /double/faults":
        return this.#faults.clear();
      case "PUT /double/callbacks":
        this.#plan = { ...USUAL_CALLBACKS, ...given as Partial<CallbackPlan> };
        return;
      case "POST /double/inbound":
        return await this.#receive(given as InboundText & { webhook?: string });
      default:
        throw new Error(`${method} ${path} is none of the double's paths`);
    }
  }

  /** Receives a text of a recruit, and tells a webhook of it where one is given. */
  async #receive({ webhook, ...text }: InboundText & { webhook?: string }) {
    const message = inboundMessage(text);
    this.#store.put(message);
    if (webhook === undefined) return { sid: message.sid };
    const parameters = inboundParameters(this.#account, message);
    return { sid: message.sid, status: await postSigned(this.#account, webhook, parameters) };
  }
}

/** https://www.twilio.com/docs/messaging/guides/webhook-request */
function inboundParameters(account: Account, message: Message): Record<string, string> {
  const media = message.media.flatMap(({ url, content_type }, index) => [
    [`MediaUrl${index}`, url],
    [`MediaContentType${index}`, content_type],
  ]);
  return {
    AccountSid: account.sid,
    ApiVersion: API_VERSION,
    Body: message.body,
    From: message.from!,
    MessageSid: message.sid,
    NumMedia: String(message.media.length),
    NumSegments: "1",
    SmsMessageSid: message.sid,
    SmsSid: message.sid,
    SmsStatus: "received",
    To: message.to,
    ...Object.fromEntries(media),
  };
}

async function read(incoming: IncomingMessage): Promise<Request> {
  const url = new URL(incoming.url!, "http://double");
  const chunks: Uint8Array[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return {
    method: incoming.method!,
    path: url.pathname,
    query: url.searchParams,
    authorization: incoming.headers.authorization,
    body: new TextDecoder().decode(await new Blob(chunks as BlobPart[]).arrayBuffer()),
  };
}
