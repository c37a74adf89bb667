/**
 * The usual Node stack, Express with zod and pg, which checks a lead and inserts it, and does nothing else: no key, no
 * duplicates, no order. Plain JavaScript, since it is Node that runs it. Takes the connection string, a table and the
 * vendor's id as arguments, and prints its address.
 */
import express from "express";
import process from "node:process";
import pg from "pg";
import * as z from "zod";

const text = z.string().trim().min(1);
const recruit = z.object({
  vendor_lead_id: text,
  first_name: text,
  last_name: text.nullish(),
  email: z.email().nullish(),
  phone: text.nullish(),
  city: text.nullish(),
  state: text.nullish(),
  zip: text.nullish(),
});

const [connectionString, table, vendorId] = process.argv.slice(2);
const INSERT = `
  insert into ${table} (vendor_id, vendor_lead_id, first_name, vendor_metadata)
  values ($1, $2, $3, $4)
  returning id`;
const pool = new pg.Pool({ connectionString, max: 10 });
const app = express();

app.post("/ingest", express.json(), async ({ body }, response) => {
  const { data, error } = recruit.safeParse(body);
  if (error) return response.status(400).json({ error: error.issues });
  const { vendor_lead_id, first_name, ...metadata } = data;
  const values = [vendorId, vendor_lead_id, first_name, metadata];
  const { rows } = await pool.query({ name: "insert", text: INSERT, values });
  response.status(201).json({ id: rows[0].id, status: "created" });
});

const server = app.listen(0, "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${server.address().port}`);
});
