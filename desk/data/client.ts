import { isAuthRetryableFetchError } from "@supabase/auth-js";
import type { Config } from "./config.ts";
import { Project } from "./project.ts";
import { inTurns } from "./request_turns.ts";

/** Has the rights of the user who is signed in. The browser keeps the session. */
export let supabase: Project;

/** The key under which the browser keeps the session. */
export const SESSION_KEY = "desk-session";

/** Makes the client. Called once, before anything else. */
export function connect(config: Config): void {
  supabase = new Project(config, SESSION_KEY, fetchAsUser);
}

const sendToApi = inTurns((input, init) => fetch(input, init));

/**
 * The `fetch` of the client, which renews a token before it is over, by the machine's clock. That may be wrong. So a
 * request that is refused for its token (401, nothing was done) is sent once more with a new one. Without a new one the
 * session is over, and the page asks for the password.
 */
export async function fetchAsUser(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const send = String(input).includes("/rest/v1/") ? sendToApi : fetch;
  const response = await send(input, init);
  if (response.status !== 401 || String(input).includes("/auth/v1/")) return response;
  const headers = new Headers(init?.headers);
  const token = await newToken(headers.get("authorization"));
  if (token === null) return response;
  headers.set("authorization", `Bearer ${token}`);
  return await send(input, { ...init, headers });
}

/** A token other than the refused one; null when the session is over. */
async function newToken(refused: string | null): Promise<string | null> {
  // Another call may have renewed it meanwhile.
  const { data: { session } } = await supabase.auth.getSession();
  if (session !== null && `Bearer ${session.access_token}` !== refused) return session.access_token;
  const { data, error } = await supabase.auth.refreshSession();
  if (error === null) return data.session!.access_token;
  if (isAuthRetryableFetchError(error)) throw error;
  await supabase.auth.signOut({ scope: "local" });
  return null;
}

/** The result of a call of supabase-js. */
export type Result<Data> =
  | { data: Data; error: null }
  | { data: null; error: { message: string; code?: string }; status: number };

/** A call that was refused or has failed, in words for the user. */
export class CallError extends Error {
  constructor(
    message: string,
    /** The HTTP status; 0 when no response came, so that nobody knows whether the call has run. */
    readonly status: number,
    /** Of the database, such as PT404; or of a function, such as NOT_FOUND. */
    readonly code: string,
    /** The field that the message is about, such as `sale.product`; empty: none. */
    readonly field = "",
  ) {
    super(message);
  }

  /** Whether the same call may succeed in a moment. */
  get mayPass(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

/** Makes a call once and returns its data. Throws a {@link CallError}. */
export async function call<Data>(request: PromiseLike<Result<Data>>): Promise<Data> {
  const result = await request;
  if (result.error === null) return result.data;
  throw errorOf(result.status, result.error.code ?? "", result.error.message);
}

/**
 * Makes a call, and makes it again when the network or the service fails. Only for calls that may be repeated.
 *
 * @throws CallError when it is refused, or fails for the fourth time
 */
export async function repeat<Data>(request: () => PromiseLike<Result<Data>>): Promise<Data> {
  for (let attempt = 1;; attempt++) {
    try {
      return await call(request());
    } catch (error) {
      if (!(error instanceof CallError && error.mayPass) || attempt === 4) throw error;
      await new Promise((resolve) => setTimeout(resolve, 250 * 2 ** attempt));
    }
  }
}

/** Makes the error of a response, with a sentence that says what to do. */
export function errorOf(status: number, code: string, message: string): CallError {
  // Messages of the database begin with the name of the field.
  const [, field = "", rest] = /^(?:([a-z_.0-9[\]]+): )?([^]*)$/.exec(message)!;
  return new CallError(sentenceOf(status, code, rest!), status, code, field);
}

/** Makes the error of a response of Storage. `refused` is the sentence for a file that is gone, or not taken. */
export function fileError(error: { status?: number }, refused: string): CallError {
  const { message, status, mayPass } = errorOf(error.status ?? 0, "", "");
  return new CallError(mayPass || status === 401 ? message : refused, status, "");
}

function sentenceOf(status: number, code: string, message: string): string {
  if (status === 0) return "No connection. Check your network and try again.";
  if (status === 401) return "Your session has ended. Sign in again.";
  if (status === 429 && code !== "PT429") return "Too many requests. Try again in a minute.";
  // The database bounds how long a call may take, and how long it may wait for a lock.
  if (code === "57014" || code === "55P03") return "This took too long, and was stopped. Try again in a moment.";
  if (status >= 500) return "The service has a fault. Try again in a moment.";
  if (code === "FORBIDDEN") return "Only an operator may do this. The people who run the service can make you one.";
  if (code === "42501" || status === 403 && !code.startsWith("PT")) {
    return "You may not do this. Reload the page to see what you may do.";
  }
  // Only these are written for people. Others come from a service that does not fit the page, or from a proxy.
  if (!/^(PT\d{3}|22023|[A-Z_]+)$/.test(code)) {
    return `The service has refused this (HTTP ${status}). Reload the page and try again.`;
  }
  return `${message.charAt(0).toUpperCase()}${message.slice(1).replace(/\.$/, "")}.`;
}
