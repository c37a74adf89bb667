import { Option } from "commander";
import { getExpectedTwilioSignature } from "twilio/lib/webhooks/webhooks.js";
import { readPublicUrl, readStackInfo } from "../../dev/local/mod.ts";
import type { AdminCommand } from "../command.ts";
import { CommandError, UsageError } from "../errors.ts";
import { text } from "../options.ts";
import type { Outcome, Session } from "../session.ts";

/** The text to send, in the words of the command line. */
interface TextToSend {
  from?: string;
  to?: string;
  body: string;
  sid?: string;
  media?: string[];
  /** The delivery status of a message, instead of a text. */
  status?: string;
  /** The functions' public address; undefined for the running stack's. */
  url?: string;
}

/** Where a webhook is, and what signs for it. */
interface Webhooks {
  /** Where to send. */
  url: string;
  /** The address that Twilio would have called, which the signature covers. */
  signedUrl: string;
  token: string;
}

export function addTextSend(noun: AdminCommand): void {
  noun
    .verb(
      "send",
      "calls a webhook as Twilio does, signed: with a text, or with --status for a delivery status",
      '--from +13125550142 --to +13125550100 --body "Is the job still open?"',
    )
    .takes(
      text("--from <number>", "From, the recruit's number"),
      text("--to <number>", "To, our number"),
      new Option("--body <text>", "Body, the text").default(""),
      text("--sid <MessageSid>", "the message's id at Twilio; a new one unless given"),
      new Option("--media <url...>", "MediaUrl0 and so on: the pictures of the text"),
      text("--status <status>", "MessageStatus, such as delivered, of the message --sid"),
      text("--url <base url>", "the functions' public address; the running stack unless given"),
    )
    .addHelpText(
      "after",
      "\nWith --url the environment's TWILIO_AUTH_TOKEN signs; for the running stack, its own token." +
        "\nThe same --sid is one message, however often it is sent.",
    )
    .refuses(({ from, to, sid, status }: TextToSend) =>
      status === undefined
        ? !(from && to) && "give the numbers with --from and --to"
        : sid === undefined && "--status: give the message it is about with --sid"
    )
    .runs(sendText);
}

async function sendText({ note }: Session, message: TextToSend): Promise<Outcome> {
  const { from, to, body, media = [], status } = message;
  const { url, signedUrl, token } = message.url === undefined ? await ofRunningStack() : hosted(message.url);
  const sid = message.sid ?? `SM${crypto.randomUUID().replaceAll("-", "")}`;
  const path = status === undefined ? "/recruiting/sms/inbound" : "/recruiting/sms/status";
  const parameters: Record<string, string> = {
    MessageSid: sid,
    ...(from !== undefined && { From: from }),
    ...(to !== undefined && { To: to }),
    ...(status !== undefined ? { MessageStatus: status } : {
      Body: body,
      NumMedia: String(media.length),
      ...Object.fromEntries(media.map((file, i) => [`MediaUrl${i}`, file])),
    }),
  };
  const signature = getExpectedTwilioSignature(token, signedUrl + path, parameters);
  await note({});
  let response: Response, answer: string;
  try {
    response = await fetch(url + path, {
      method: "POST",
      headers: { "x-twilio-signature": signature },
      body: new URLSearchParams(parameters),
      // As long as Twilio waits.
      signal: AbortSignal.timeout(15_000),
    });
    answer = await response.text();
  } catch (error) {
    throw new CommandError(`${url}${path} did not respond: ${(error as Error).message}`);
  }
  const isJson = response.headers.get("content-type")?.startsWith("application/json");
  const { status: result } = isJson ? JSON.parse(answer) : {};
  if (response.status !== 200 || typeof result !== "string" || result === "error") {
    throw new CommandError(
      `${url}${path} responded ${response.status}: ${answer.slice(0, 500)}`,
    );
  }
  return { data: { message_sid: sid, status: result }, text: `${result} (MessageSid ${sid})` };
}

async function ofRunningStack(): Promise<Webhooks> {
  try {
    const stack = readStackInfo();
    const signedUrl = await readPublicUrl(stack);
    return { url: stack.functions_url, signedUrl, token: stack.twilio_auth_token };
  } catch (error) {
    throw new CommandError(`${(error as Error).message} For another project, give --url.`);
  }
}

function hosted(given: string): Webhooks {
  const url = given.replace(/\/+$/, "");
  if (!URL.canParse(url)) {
    throw new UsageError(
      `--url: give an address such as https://<project ref>.supabase.co/functions/v1`,
    );
  }
  const [token] = (Deno.env.get("TWILIO_AUTH_TOKEN") ?? "").split(",").map((one) => one.trim());
  if (!token) throw new CommandError("Set TWILIO_AUTH_TOKEN, which signs for --url.");
  return { url, signedUrl: url, token };
}
