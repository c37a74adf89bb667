import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import type { Database } from "../../supabase/functions/_shared/database.types.ts";
import type { Config } from "./config.ts";

/** Has the rights of the user who is signed in. The browser keeps the session. */
export let supabase: SupabaseClient<Database>;

/** Makes the client. Called once, before anything else. */
export function connect({ url, publishable_key }: Config): void {
  supabase = createClient<Database>(url, publishable_key);
}

/** What a call of supabase-js resolves to. */
type Result<Data> =
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
  return new CallError(sentenceOf(status, code, message), status, code);
}

function sentenceOf(status: number, code: string, message: string): string {
  if (status === 0) return "No connection. Check your network and try again.";
  if (status === 401) return "Your session has ended. Sign in again.";
  if (status === 429) return "Too many requests. Try again in a minute.";
  if (status >= 500) return "The service has a fault. Try again in a moment.";
  if (code === "42501" || status === 403 && !code.startsWith("PT")) {
    return "You may not do this. A manager of your agency may.";
  }
  // Messages of the database begin with the name of the field.
  const [, sentence] = /^(?:[a-z_.0-9]+: )?([^]*)$/.exec(message)!;
  return `${sentence!.charAt(0).toUpperCase()}${sentence!.slice(1).replace(/\.$/, "")}.`;
}
