/**
 * What a caller sends to an SQL function stays in the body of the response. PostgREST writes the message of some errors
 * into the status line, so a line end in a message would begin a header, or the response to another caller's request.
 */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import postgres from "postgres";
import { stack } from "../../testing/shared_stack.ts";

const sql = postgres(stack.db_url, { max: 2, onnotice: () => {} });

Deno.test.afterAll(() => sql.end());

const SPLIT = "x\r\nX-Injected: yes\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nforeign";
const LARGE = SPLIT.repeat(1_000).slice(0, 64 * 1024);
const HOSTILE = [
  SPLIT,
  SPLIT.replaceAll("\r\n", "\n"),
  SPLIT.replaceAll("\r\n", "\r"),
  // CR and LF, for a server that keeps the lower eight bits of each character.
  SPLIT.replaceAll("\r\n", "\u010d\u010a"),
  "x\u0000\u001b[2J\u007f\u0085\u009f\u2028\u2029",
  LARGE,
];

/** The headers that PostgREST and the gateway may send. */
const HEADERS = new Set([
  "access-control-allow-origin",
  "access-control-expose-headers",
  // The gateway closes a connection of which a large body was refused before it was read.
  "connection",
  "content-length",
  "content-location",
  "content-profile",
  "content-range",
  "content-type",
  "date",
  "retry-after",
  "server",
  "transfer-encoding",
  "vary",
  "www-authenticate",
]);

/** A connection that is kept alive, and reads responses to the byte. Every character of its text is one byte. */
class Connection {
  #connection: Deno.TcpConn;
  readonly #head: string;
  #received = "";

  private constructor(connection: Deno.TcpConn, head: string) {
    this.#connection = connection;
    this.#head = head;
  }

  /** To PostgREST itself, or to what the gateway has below /rest/v1. */
  static async to({ url, token }: { url: string; token: string }): Promise<Connection> {
    const { hostname, port } = new URL(url);
    const head = `host: ${hostname}:${port}\r\napikey: ${stack.publishable_key}\r\nauthorization: Bearer ${token}\r\n`;
    return new Connection(await Deno.connect({ hostname, port: Number(port) }), head);
  }

  /** As {@link exchange}, and sends a request again that is refused because so many run at once, until it is served. */
  async serve(path: string, json: unknown): Promise<{ status: number; body: string }> {
    for (const deadline = Date.now() + 10_000;;) {
      const response = await this.exchange(path, json);
      if (response.status !== 429 || JSON.parse(response.body).code !== "TOO_MANY_REQUESTS") return response;
      assert(Date.now() < deadline, `${path} is refused for 10 s`);
    }
  }

  /** Sends a request, and asserts that the response is one, with no byte after it. */
  async exchange(path: string, json?: unknown): Promise<{ status: number; body: string }> {
    const body = Buffer.from(json === undefined ? "" : JSON.stringify(json));
    const method = json === undefined ? "GET" : "POST";
    const framing = `content-type: application/json\r\ncontent-length: ${body.length}\r\n`;
    const head = Buffer.from(`${method} ${path} HTTP/1.1\r\n${this.#head}${framing}\r\n`);
    let bytes: Uint8Array = Buffer.concat([head, body]);
    while (bytes.length > 0) bytes = bytes.subarray(await this.#connection.write(bytes));

    const [statusLine, ...headers] = (await this.#until("\r\n\r\n")).split("\r\n") as [string, ...string[]];
    assert.match(statusLine, /^HTTP\/1\.1 [2-5]\d\d [\x20-\x7e\x80-\xff]{0,1500}$/);
    const values = new Map(headers.map((line) => line.toLowerCase().split(/: */, 2) as [string, string]));
    assert.deepEqual([...values.keys()].filter((name) => !HEADERS.has(name)), []);
    let text = "";
    if (values.get("transfer-encoding") === "chunked") {
      for (let length = 1; length > 0;) {
        const line = await this.#until("\r\n");
        assert.match(line, /^[\da-f]{1,8}$/i);
        text += await this.#take(length = parseInt(line, 16));
        assert.equal(await this.#take(2), "\r\n");
      }
    } else {
      assert.match(values.get("content-length") ?? "", /^\d+$/, statusLine);
      text = await this.#take(Number(values.get("content-length")));
    }
    assert.equal(this.#received, "", "bytes came after the response");
    if (values.get("connection") === "close") {
      const { hostname, port } = this.#connection.remoteAddr as Deno.NetAddr;
      this.#connection.close();
      this.#connection = await Deno.connect({ hostname, port });
    }
    return { status: Number(statusLine.split(" ", 2)[1]), body: text };
  }

  close(): void {
    this.#connection.close();
  }

  async #until(end: string): Promise<string> {
    while (!this.#received.includes(end)) await this.#receive();
    const text = this.#received.slice(0, this.#received.indexOf(end));
    await this.#take(text.length + end.length);
    return text;
  }

  async #take(length: number): Promise<string> {
    while (this.#received.length < length) await this.#receive();
    const text = this.#received.slice(0, length);
    this.#received = this.#received.slice(length);
    return text;
  }

  async #receive(): Promise<void> {
    const buffer = new Uint8Array(64 * 1024);
    const length = await this.#connection.read(buffer);
    assert(length !== null, `the connection was closed after: ${this.#received.slice(0, 300)}`);
    this.#received += Buffer.from(buffer.buffer, 0, length).toString("latin1");
  }
}

/** An argument of a function, with something that it takes. */
interface Argument {
  name: string;
  type: string;
  usual: unknown;
}

interface Callee {
  name: string;
  arguments: Argument[];
}

/** The functions that a role may call through PostgREST, read from the catalogue. */
async function functionsOf(role: string): Promise<Callee[]> {
  const rows = await sql`
    select p.proname as name, p.proargnames as names, array(
      select format_type(t, null) from unnest(p.proargtypes) with ordinality a (t, n) order by n
    ) as types
    from pg_proc p
    where p.pronamespace = 'public'::regnamespace and p.prokind = 'f' and p.prorettype <> 'trigger'::regtype
      and has_function_privilege(${role}, p.oid, 'execute')
    order by p.proname`;
  return rows.map(({ name, names, types }) => ({
    name,
    arguments: types.map((type: string, n: number) => ({ name: names[n], type, usual: usualValue(names[n], type) })),
  }));
}

/** Rows of the seed by the name of an argument, so that calls get to what is checked after the ids. */
const [known] = await sql`
  select
    (select to_jsonb(array_agg(key)) from (
      select distinct k[1] as key
      from pg_proc p cross join regexp_matches(p.prosrc, '(?:->>? ?|[?] )''([a-z_]+)''', 'g') k
      where p.pronamespace in ('public'::regnamespace, 'private'::regnamespace)
    ) keys) as keys,
    (select id from public.agencies order by id limit 1) as agency_id,
    (select id from public.agents order by id limit 1) as agent_id,
    (select id from public.recruiting_orders limit 1) as order_id,
    (select id from public.recruiting_leads limit 1) as lead_id,
    (select id from public.vendors where parser = 'generic' limit 1) as vendor_id,
    (select slug from public.vendors where parser = 'generic' limit 1) as vendor_slug,
    (select phone from public.service_numbers limit 1) as service_phone,
    'America/New_York' as timezone` as unknown as [Record<string, unknown> & { keys: string[] }];

function usualValue(name: string, type: string): unknown {
  const row = Object.keys(known).find((key) => name === key || name.endsWith(`_${key}`));
  if (row !== undefined && !type.endsWith("[]")) return known[row];
  if (type.endsWith("[]")) return [];
  if (type === "uuid") return crypto.randomUUID();
  if (type === "integer" || type === "bigint" || type === "numeric") return 7;
  if (type === "boolean") return true;
  if (type.startsWith("timestamp")) return new Date().toISOString();
  if (type === "date") return new Date().toISOString().slice(0, 10);
  return type === "jsonb" ? {} : "x";
}

/** The values of an argument that have a hostile text in them; for a large text one. */
function valuesWith(hostile: string, type: string): unknown[] {
  if (type.endsWith("[]")) return [[hostile]];
  if (type !== "jsonb" || hostile === LARGE) return [hostile];
  const all = Object.fromEntries(known.keys.map((key) => [key, hostile]));
  return [hostile, [hostile], { [hostile]: hostile }, all, [all]];
}

/** The bodies with a hostile text in one argument each: alone, and with usual values in all others. */
function* hostileCalls(callee: Callee, hostile: string): Generator<Record<string, unknown>> {
  const usual = Object.fromEntries(callee.arguments.map(({ name, usual }) => [name, usual]));
  for (const { name, type } of callee.arguments) {
    for (const value of valuesWith(hostile, type)) yield { ...usual, [name]: value };
  }
}

/** A token of a role, and of a user of the seed where one is given. */
function tokenOf(role: string, sub?: string): string {
  const part = (claims: object) => btoa(JSON.stringify(claims)).replace(/=+$/, "");
  const text = `${part({ alg: "HS256", typ: "JWT" })}.${part({ role, sub, aud: "authenticated" })}`;
  return `${text}.${createHmac("sha256", stack.jwt_secret).update(text).digest("base64url")}`;
}

/** What nobody else's response has in it. */
const [{ manager, operator }] = await sql`
  select
    (select user_id from public.agents where role = 'manager' and user_id is not null order by id limit 1) as manager,
    (select user_id from public.operators limit 1) as operator` as unknown as [{ manager: string; operator: string }];

const CALLERS = [
  { who: "the functions", role: "service_role", token: stack.service_role_key },
  {
    who: "a login that is nobody's agent",
    role: "authenticated",
    token: tokenOf("authenticated", crypto.randomUUID()),
  },
  { who: "a manager", role: "authenticated", token: tokenOf("authenticated", manager) },
  { who: "an operator", role: "authenticated", token: tokenOf("authenticated", operator) },
  { who: "anybody", role: "anon", token: stack.anon_key },
];
const WAYS = [
  { way: "PostgREST", url: stack.restUrl, prefix: "", texts: HOSTILE },
  // It passes on what PostgREST responds.
  { way: "the gateway", url: stack.api_url, prefix: "/rest/v1", texts: [SPLIT, LARGE] },
];
const quoted = new Set<string>();

for (const { way, url, prefix, texts } of WAYS) {
  for (const { who, role, token } of CALLERS) {
    Deno.test(`no text that ${who} may send leaves the body of its response: ${way}`, async () => {
      const mark = crypto.randomUUID();
      const vendor = `/vendors?select=id,slug&slug=eq.generic&id=neq.${mark}`;
      const victim = { url, token: stack.service_role_key };
      const probe = await Connection.to(victim);
      const expected = await probe.exchange(prefix + vendor);
      assert.equal(expected.status, 200);
      probe.close();

      let isOver = false;
      const victims = Array.from({ length: 2 }, async () => {
        const connection = await Connection.to(victim);
        while (!isOver) assert.deepEqual(await connection.exchange(prefix + vendor), expected);
        connection.close();
      });
      const callees = await functionsOf(role);
      // As many as users may send at once, also where they were slow lately.
      const attackers = Array.from({ length: 2 }, async () => {
        const connection = await Connection.to({ url, token });
        for (let callee = callees.shift(); callee; callee = callees.shift()) {
          for (const hostile of texts) {
            for (const body of hostileCalls(callee, hostile)) {
              const response = await connection.serve(`${prefix}/rpc/${callee.name}`, body);
              if (response.body.includes("x??X-Injected")) quoted.add(callee.name);
            }
          }
          // What is left over of a response would be taken for this one.
          const { status, body } = await connection.serve(`${prefix}/rpc/there_is_none`, {});
          assert.deepEqual([status, JSON.parse(body).code], [404, "PGRST202"]);
        }
        connection.close();
      });
      await Promise.all(attackers).finally(() => isOver = true);
      await Promise.all(victims);
    });
  }
}

Deno.test("the calls get as far as messages that quote them", () => {
  for (const name of ["count_vendor_days", "create_vendor_api_key", "resume_number", "set_alert_rule", "close_hours"]) {
    assert(quoted.has(name), `${name} quotes nothing: ${[...quoted].join(", ")}`);
  }
});

Deno.test("the gateway's HTTP client refuses a status line that is not well-formed", async () => {
  for (const line of ["HTTP/1.1 400 a\x01b", "HTTP/1.1 400 a\rb", "HTTP/1.1 40x a", "HTTP/1.1 400 a\x7f"]) {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const responded = listener.accept().then(async (connection) => {
      await connection.read(new Uint8Array(1_024));
      await connection.write(new TextEncoder().encode(`${line}\r\ncontent-length: 0\r\n\r\n`));
      connection.close();
    });
    await assert.rejects(fetch(`http://127.0.0.1:${listener.addr.port}/`), line);
    await responded;
    listener.close();
  }
});
