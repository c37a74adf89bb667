/**
 * What `POST /api/leads/import` is compared with: the same work in the usual Node stack, Fastify with pg, which checks the
 * leads and inserts each by itself. Plain JavaScript, since it is Node that runs it.
 *
 * Takes the connection string and `{agencyId, agentId}` as arguments, prints its address, and stops when its input ends.
 * `?together=<n>` says how many inserts are under way at a time, each on a connection of a pool.
 */
import fastify from "fastify";
import process from "node:process";
import pg from "pg";

const INSERT = `
  insert into public.leads (
    agency_id, agent_id, source, status, stage, external_id, first_name, last_name, phone, email, address, city, state,
    zip, language, type
  ) values ($1, $2, 'platform', 'open', 'new', $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
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
      external_id: { type: "string", format: "uuid" },
      first_name: text,
      last_name: optional,
      phone: text,
      email: optional,
      address: optional,
      city: optional,
      state: text,
      zip: optional,
      language: optional,
      type: { enum: ["fwk", "csk", "br", "union", "ncr", "pos", "dcard", "fe", "globe"] },
    },
  },
};

const [connectionString, target] = process.argv.slice(2);
const { agencyId, agentId } = JSON.parse(target);
const pool = new pg.Pool({ connectionString, max: 10 });
const app = fastify({ bodyLimit: 10 * 1024 * 1024 });

app.post("/import", { schema: { body } }, async ({ body, query }) => {
  const ids = [];
  const rest = body.values();
  const insertRest = async () => {
    for (const lead of rest) {
      const { rows } = await pool.query({ name: "insert", text: INSERT, values: valuesOf(lead) });
      if (rows.length > 0) ids.push(rows[0].id);
    }
  };
  await Promise.all(Array.from({ length: Number(query.together) }, insertRest));
  return { imported: ids.length, lead_ids: ids };
});

console.log(await app.listen({ host: "127.0.0.1", port: 0 }));
process.stdin.on("end", () => process.exit(0)).resume();

function valuesOf(lead) {
  return [
    ...[agencyId, agentId, lead.external_id, lead.first_name, lead.last_name, lead.phone],
    ...[lead.email, lead.address, lead.city, lead.state, lead.zip, lead.language, lead.type],
  ];
}
