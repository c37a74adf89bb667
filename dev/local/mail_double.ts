import { join } from "node:path";
import { writeFileAtomically } from "./files.ts";
import { MAIL_FOLDER } from "./lite/mail_folder.ts";

/** What the worker sends to https://resend.com/docs/api-reference/emails/send-email. */
interface Email {
  from: string;
  to: string[];
  subject: string;
  text: string;
}

/** A double of the provider of e-mails. It keeps each as a file, `<data-dir>/mail/<time>-<id>.txt`, and sends none. */
export class MailDouble {
  readonly #folder: string;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  /** As at the provider, a repeated Idempotency-Key makes no other e-mail. */
  readonly #ids = new Set<string>();

  constructor(dataDir: string) {
    this.#folder = join(dataDir, MAIL_FOLDER);
    Deno.mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    this.#server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen() {} },
      (request) => this.#answer(request),
    );
  }

  /** The settings with which the functions use it. */
  get settings(): Record<string, string> {
    return {
      RESEND_API_KEY: "local",
      RESEND_API_URL: `http://127.0.0.1:${this.#server.addr.port}`,
      MAIL_FROM: "leads@localhost.localdomain",
    };
  }

  async stop(): Promise<void> {
    await this.#server.shutdown();
  }

  async #answer(request: Request): Promise<Response> {
    if (request.method !== "POST" || new URL(request.url).pathname !== "/emails") {
      return new Response(null, { status: 404 });
    }
    const { from, to, subject, text }: Email = await request.json();
    const id = request.headers.get("idempotency-key") ?? crypto.randomUUID();
    if (!/^[\w-]{1,256}$/.test(id)) return new Response(null, { status: 400 });
    if (!this.#ids.has(id)) {
      this.#ids.add(id);
      const time = new Date().toISOString().replace(/[:.]/g, "-");
      writeFileAtomically(
        join(this.#folder, `${time}-${id}.txt`),
        `From: ${from}\nTo: ${to.join(", ")}\nSubject: ${subject}\n\n${text}`,
      );
    }
    return Response.json({ id });
  }
}
