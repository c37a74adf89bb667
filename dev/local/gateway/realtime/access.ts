import { verify } from "hono/jwt";
import { JwtTokenExpired } from "hono/utils/jwt/types";
import type postgres from "postgres";

/** The claims of a token whose signature was checked. */
export interface Claims extends Record<string, unknown> {
  role: string;
  /** Seconds since 1970. */
  exp: number;
}

/** Why somebody may not join a channel, in Realtime's words: a code, and a sentence. */
export class Refusal extends Error {
  constructor(readonly code: string, message: string) {
    super(message);
  }
}

/**
 * The claims of a token that this project has signed and that is still good.
 *
 * @throws {Refusal} in every other case
 */
export async function readToken(token: string, jwtSecret: string): Promise<Claims> {
  let claims: Record<string, unknown>;
  try {
    claims = await verify(token, jwtSecret, "HS256");
  } catch (error) {
    throw error instanceof JwtTokenExpired
      ? new Refusal("InvalidJWTToken", "Token has expired")
      : new Refusal("JwtSignatureError", "Failed to validate JWT signature");
  }
  if (typeof claims.role !== "string" || typeof claims.exp !== "number") {
    throw new Refusal("InvalidJWTToken", "Fields `role` and `exp` are required in JWT");
  }
  return claims as Claims;
}

/**
 * Whether a user may receive what is sent to a topic. As hosted Realtime does, it stores a message of the topic, looks
 * whether the policies show it to the user, and takes everything back.
 *
 * @throws {Refusal} when the database cannot tell
 */
export async function mayReceive(
  sql: postgres.Sql,
  topic: string,
  claims: Claims,
): Promise<boolean> {
  try {
    return await sql.begin(async (sql) => {
      const [message] = await sql`
        insert into realtime.messages (topic, extension, private) values (${topic}, 'broadcast', true)
        returning id`;
      await sql`
        select
          set_config('role', ${claims.role}, true),
          set_config('realtime.topic', ${topic}, true),
          set_config('request.jwt.claims', ${JSON.stringify(claims)}, true),
          set_config('request.headers', '{}', true)`;
      const shown = await sql`
        select from realtime.messages
        where topic = ${topic} and extension = 'broadcast' and id = ${message!.id}`;
      await sql`rollback and chain`;
      return shown.length > 0;
    });
  } catch (error) {
    // The log says why; a caller learns nothing of the inside.
    console.error(`Realtime could not ask the policies: ${(error as Error).message}`);
    throw new Refusal("UnableToConnectToProject", "Realtime was unable to connect to the project database");
  }
}
