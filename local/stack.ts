import { bootstrap, migrate, seed, vendorKeys } from "./database.ts";
import { roleKey } from "./jwt.ts";
import type { Options } from "./options.ts";
import { say } from "./output.ts";
import { freePorts } from "./ports.ts";
import { connect, postgresPart, prepareCluster } from "./postgres.ts";
import { keepVendorKeys, loadSecrets, readFunctionsEnv } from "./secrets.ts";
import { gatewayPart, litePart, postgrestPart, type Wiring } from "./services.ts";
import type { StackInfo } from "./stack_info.ts";
import type { Supervisor } from "./supervisor.ts";

/**
 * Starts every part in the order of what needs what, and brings the database up to date in between.
 *
 * @throws {Error} saying which part failed and why; the parts that run by then are the caller's to stop
 */
export async function launch(options: Options, supervisor: Supervisor): Promise<StackInfo> {
  const { dataDir } = options;
  const functionsEnv = readFunctionsEnv();
  const secrets = loadSecrets(dataDir, functionsEnv);
  const [restPort, restAdminPort, litePort] = freePorts(3) as [number, number, number];
  const apiUrl = `http://127.0.0.1:${options.port}`;
  const dbUrl = (role: string) =>
    `postgresql://${role}:${secrets.databasePassword}@127.0.0.1:${options.dbPort}/postgres`;
  const wiring: Wiring = {
    apiUrl,
    liteDbUrl: dbUrl("supabase_lite"),
    authenticatorUrl: dbUrl("authenticator"),
    jwtSecret: secrets.SUPABASE_JWT_SECRET,
    restPort,
    restAdminPort,
    litePort,
  };
  const stack: StackInfo = {
    api_url: apiUrl,
    functions_url: `${apiUrl}/functions/v1`,
    db_url: dbUrl("postgres"),
    anon_key: roleKey("anon", secrets.SUPABASE_JWT_SECRET),
    service_role_key: roleKey("service_role", secrets.SUPABASE_JWT_SECRET),
    publishable_key: secrets.SUPABASE_PUBLISHABLE_KEY,
    secret_key: secrets.SUPABASE_SECRET_KEY,
    jwt_secret: secrets.SUPABASE_JWT_SECRET,
    leads_import_api_key: firstOf(secrets.LEADS_IMPORT_API_KEY),
    twilio_auth_token: firstOf(secrets.TWILIO_AUTH_TOKEN),
    vendors: [],
  };

  say("Starting Postgres");
  await prepareCluster(supervisor, dataDir, secrets.databasePassword);
  await supervisor.start(postgresPart(dataDir, options.dbPort, stack.db_url));
  const sql = connect(stack.db_url);
  try {
    await bootstrap(sql, secrets.databasePassword);
    say("Starting auth and storage");
    await supervisor.start(litePart(dataDir, wiring));
    say("Applying migrations and seed");
    await migrate(supervisor, sql, stack.db_url);
    await seed(sql);
    stack.vendors = await vendorKeys(sql, secrets.vendorKeys);
    keepVendorKeys(dataDir, secrets.vendorKeys);
  } finally {
    await sql.end();
  }

  say("Starting PostgREST and the functions");
  await Promise.all([
    supervisor.start(postgrestPart(wiring)),
    supervisor.start(gatewayPart(apiUrl, {
      ...functionsEnv,
      LEADS_IMPORT_API_KEY: secrets.LEADS_IMPORT_API_KEY,
      TWILIO_AUTH_TOKEN: secrets.TWILIO_AUTH_TOKEN,
      SUPABASE_URL: apiUrl,
      SUPABASE_ANON_KEY: stack.anon_key,
      SUPABASE_SERVICE_ROLE_KEY: stack.service_role_key,
      SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: stack.publishable_key }),
      SUPABASE_SECRET_KEYS: JSON.stringify({ default: stack.secret_key }),
      LOCAL_GATEWAY: JSON.stringify({
        port: options.port,
        restUrl: `http://127.0.0.1:${restPort}`,
        liteUrl: `http://127.0.0.1:${litePort}`,
      }),
    })),
  ]);
  return stack;
}

/** Several secrets, separated by commas, allow rotation; examples and tests use the first. */
function firstOf(secrets: string): string {
  return secrets.split(",").map((secret) => secret.trim()).find(Boolean) ?? "";
}
