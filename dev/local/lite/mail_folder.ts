import { AsyncLocalStorage } from "node:async_hooks";
import { join } from "node:path";
import { writeFileAtomically } from "../files.ts";

/** Where a stack keeps its e-mails, below its data folder. */
export const MAIL_FOLDER = "mail";

/** The file with the latest e-mail to an address. */
export function mailFile(folder: string, address: string): string {
  return join(folder, `${address.toLowerCase().replaceAll("/", "%2F")}.txt`);
}

/** Keeps each e-mail as a file in place of sending it. */
export class MailFolder {
  readonly #folder: string;
  /** The page to which the link of the request's e-mail leads. */
  readonly #page = new AsyncLocalStorage<string | null>();

  constructor(folder: string) {
    this.#folder = folder;
    Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  /** Serves a request of Auth. `@supabase/lite` passes over `?redirect_to`, so its e-mails get it here. */
  serve(request: Request, serve: (request: Request) => Promise<Response>): Promise<Response> {
    return this.#page.run(new URL(request.url).searchParams.get("redirect_to"), serve, request);
  }

  /** The method that `@supabase/lite` calls to send an e-mail. */
  send({ to, subject, text = "" }: { to: string; subject: string; text?: string }): Promise<void> {
    const page = this.#page.getStore();
    const withPage = page ? text.replace(/(?<=[?&]redirect_to=)[^&\s]*/, () => encodeURIComponent(page)) : text;
    writeFileAtomically(
      mailFile(this.#folder, to),
      `To: ${to}\nSubject: ${subject}\n\n${withPage}`,
    );
    return Promise.resolve();
  }
}
