import { randomBytes } from "node:crypto";
import type postgres from "postgres";
import { connect } from "../../local/mod.ts";
import { withScratch } from "../../scripts/migration/scratch.ts";

/** A database as a hosted project has it before its first migration. */
export interface HostedDatabase {
  /** Connection string of its owner, who is not a superuser. */
  url: string;
  owner: string;
  /** A connection of a superuser, to arrange what the owner may not. */
  admin: postgres.Sql;
  /** Copies it, and returns the owner's connection string of the copy. It ends `admin`: nobody may be connected. */
  copy(): Promise<string>;
}

/**
 * Hosted projects give their owner a role that is no superuser; auth, storage and Realtime belong to others. These are
 * its rights there.
 */
const RIGHTS = (role: string, database: string) => `
  alter database ${database} owner to ${role};
  grant usage on schema auth, storage, extensions, realtime to ${role};
  grant select, insert, update on realtime.messages to ${role};
  grant all on all tables in schema auth, storage to ${role};
  alter default privileges for role ${role} in schema public
    grant all on tables to anon, authenticated, service_role;
  alter default privileges for role ${role} in schema public
    grant all on functions to anon, authenticated, service_role;
  alter default privileges for role ${role} in schema public
    grant all on sequences to anon, authenticated, service_role;
  -- A hosted owner may make policies on these tables; plain Postgres lets only the owner of a table.
  alter table storage.objects owner to ${role};
  alter table realtime.messages owner to ${role};
  -- A new project has no record of migrations; the local service for auth and storage makes an empty one.
  drop schema if exists supabase_migrations cascade`;

/**
 * Gives a function such a database on the server of a running stack.
 *
 * @param dbUrl the stack's connection string, of a superuser
 */
export async function withHostedDatabase<T>(
  dbUrl: string,
  use: (database: HostedDatabase) => Promise<T>,
): Promise<T> {
  const owner = `scratch_owner_${randomBytes(4).toString("hex")}`;
  const server = connect(dbUrl);
  // The password is the one that the database tests connect with.
  await server.unsafe(`
    create role ${owner} login bypassrls createrole password 'postgres';
    grant anon, authenticated, service_role to ${owner}`);
  try {
    return await withScratch(dbUrl, async (scratch) => {
      const url = new URL(await scratch.create());
      const admin = connect(url.href);
      try {
        await admin.unsafe(RIGHTS(owner, url.pathname.slice(1)));
        url.username = owner;
        url.password = "postgres";
        const copy = async () => {
          await admin.end();
          const { pathname } = new URL(await scratch.copy(url.href));
          await server.unsafe(`alter database ${pathname.slice(1)} owner to ${owner}`);
          return new URL(pathname, url).href;
        };
        return await use({ url: url.href, owner, admin, copy });
      } finally {
        await admin.end();
      }
    });
  } finally {
    await server.end();
  }
}
