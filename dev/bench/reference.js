/**
 * The usual Node stack, Fastify with pg, which checks leads and inserts each by itself. Plain JavaScript, since it is
 * Node that runs it. Takes the connection string and `{agency_id, agent_id}` as arguments, and prints its address.
 *
 * `POST /import` does the work of `POST /api/leads/import`. `?together=<n>` says how many inserts are under way at a
 * time, each on a connection of a pool.
 */
import fastify from "fastify";
import process from "node:process";
import pg from "pg";

const FIELDS = [
  ...["external_id", "first_name", "last_name", "phone", "email", "address", "city", "state"],
  ...["zip", "language", "type"],
];
const INSERT = `
  insert into public.leads (agency_id, agent_id, ${FIELDS})
  values ($1, $2, ${FIELDS.map((_, i) => `$${i + 3}`)})
  on conflict (agency_id, external_id) do nothing
  returning id`;

const text = { type: "string", minLength: 1 };
const optional = { type: ["string", "null"] };
const body = {
  type: "array",
  items: {
    type: "object",
    required: ["external_id", "first_name", "phone", "state", "type"],
    properties: {
      ...Object.fromEntries(FIELDS.map((field) => [field, optional])),
      external_id: { type: "string", format: "uuid" },
      first_name: text,
      phone: text,
      state: text,
      type: { enum: ["fwk", "csk", "br", "union", "ncr", "pos", "dcard", "fe", "globe"] },
    },
  },
};

const [connectionString, target] = process.argv.slice(2);
const { agency_id, agent_id } = JSON.parse(target);
const pool = new pg.Pool({ connectionString, max: 10 });
const app = fastify({ bodyLimit: 10 * 1024 * 1024 });

app.post("/import", { schema: { body } }, async ({ body, query }) => {
  const ids = [];
  const rest = body.values();
  const insertRest = async () => {
    for (const lead of rest) {
      const values = [agency_id, agent_id, ...FIELDS.map((field) => lead[field])];
      const { rows } = await pool.query({ name: "insert", text: INSERT, values });
      if (rows.length > 0) ids.push(rows[0].id);
    }
  };
  await Promise.all(Array.from({ length: Number(query.together) }, insertRest));
  return { imported: ids.length, lead_ids: ids };
});

console.log(await app.listen({ host: "127.0.0.1", port: 0 }));
