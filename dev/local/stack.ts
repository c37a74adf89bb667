import { rmSync } from "node:fs";
import { join } from "node:path";
import { bootstrap, vendorKeys } from "./database/bootstrap.ts";
import { buildDesk } from "./desk.ts";
import { makePrivateFolder, writeFileAtomically } from "./files.ts";
import { type Lock, lockDataDir } from "./processes/lock.ts";
import { migrate } from "./database/migrations.ts";
import type { StackLocation } from "./commands/options.ts";
import { freePorts, isPortFree } from "./processes/ports.ts";
import { connect, postgresPart, prepareCluster } from "./database/postgres.ts";
import { endLeftovers } from "./processes/leftovers.ts";
import { MailDouble } from "./mail_double.ts";
import { keepVendorKeys, loadSecrets, roleKey } from "./secrets.ts";
import { gatewayPart, litePart, postgrestPart } from "./services.ts";
import type { StackInfo } from "./stack_info.ts";
import { type Listener, type Part, Supervisor } from "./processes/supervisor.ts";
import { Scheduler } from "./scheduler.ts";

/** The options of a stack, and the listener that is told what happens. */
export interface StackOptions extends StackLocation, Listener {
  /**
   * What secrets and functions are set to, by the name of the environment variable. A secret that is missing or blank
   * is generated. FUNCTIONS_RELOAD=off leaves the functions alone when their files change, and TEXTING_WORKER=off
   * leaves it to others to check the alerts and to call POST /worker/run.
   */
  settings: Record<string, string>;
  /** Whether it builds the desk and serves it at /desk/. */
  hasDesk?: boolean;
  /** Its data need not survive a crash of the machine, so Postgres waits for no disk. */
  isThrowaway?: boolean;
  /** How many connections the data API has to Postgres at most; 10 unless given. */
  connections?: number;
}

/**
 * A Supabase project on this machine: Postgres, PostgREST, auth, storage, Realtime's broadcasts and the functions
 * behind one port.
 */
export class LocalStack {
  /** Its `stack.json`, which is there while it is ready. */
  readonly file: string;
  /** PostgREST without the gateway, for benchmarks. Empty until the stack has started. */
  restUrl = "";
  readonly #options: StackOptions;
  #lock?: Lock | null;
  #supervisor?: Supervisor;
  #gateway?: (port: number) => Part;
  #scheduler?: Scheduler;
  #mail?: MailDouble;
  #stopped?: Promise<void>;

  constructor(options: StackOptions) {
    this.#options = options;
    this.file = join(options.dataDir, "stack.json");
  }

  /**
   * Starts everything, brings the database up to date and writes `stack.json`.
   *
   * @throws {Error} saying what is in the way or which part failed; nothing is left running then
   */
  async start(): Promise<StackInfo> {
    try {
      await this.#prepare();
      this.#supervisor = new Supervisor(this.#options.dataDir, this.#options);
      const info = await this.#launch(this.#supervisor);
      this.#assertNotStopped();
      if (this.#options.settings.TEXTING_WORKER !== "off") this.#scheduler = this.#schedule(info);
      writeFileAtomically(this.file, JSON.stringify(info, null, 2));
      return info;
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /**
   * Starts one more gateway on a stack that has started. Its functions are another process, as the platform has
   * several.
   *
   * @returns its URL, which can stand in for `api_url`
   */
  async addGateway(): Promise<string> {
    const [port] = freePorts(1) as [number];
    await this.#supervisor!.start(this.#gateway!(port));
    return urlOf(port);
  }

  /** Stops everything, also while it is still starting. */
  stop(): Promise<void> {
    return this.#stopped ??= (async () => {
      if (this.#lock) rmSync(this.file, { force: true });
      await this.#scheduler?.stop();
      await this.#supervisor?.stop();
      await this.#mail?.stop();
      this.#lock?.release();
    })();
  }

  /** Locks the data folder, ends the leftover processes of a killed launcher, and checks that the ports are free. */
  async #prepare(): Promise<void> {
    const { dataDir, port, dbPort } = this.#options;
    makePrivateFolder(dataDir);
    this.#lock = lockDataDir(dataDir);
    if (!this.#lock) {
      throw new Error(
        `A stack is running already with the data folder ${dataDir}. Stop it first, or choose another folder and other ` +
          "ports: npm start -- --data-dir .local2 --port 54331 --db-port 54332",
      );
    }
    rmSync(this.file, { force: true });
    for (const name of await endLeftovers(dataDir)) {
      this.#options.say?.(
        `Ended ${name}, which was still running because the launcher before was killed.`,
      );
    }
    for (
      const [option, variable, number] of [
        ["--port", "API_PORT", port],
        ["--db-port", "DB_PORT", dbPort],
      ] as const
    ) {
      if (isPortFree(number)) continue;
      throw new Error(
        `Port ${number} is in use. Stop what uses it, or choose another: npm start -- ${option} <number>  ` +
          `(or ${variable}=<number>)`,
      );
    }
    this.#assertNotStopped();
  }

  #assertNotStopped(): void {
    if (this.#stopped) throw new Error("The stack is being stopped.");
  }

  #schedule(info: StackInfo): Scheduler {
    const { settings, say } = this.#options;
    return new Scheduler({
      dbUrl: info.db_url,
      functionsUrl: info.functions_url,
      key: info.worker_key,
      isConfigured: Boolean(settings.TWILIO_ACCOUNT_SID?.trim()),
      say,
    });
  }

  /** Starts the parts in the order in which they need each other. */
  async #launch(supervisor: Supervisor): Promise<StackInfo> {
    const { dataDir, port, dbPort, settings, hasDesk, isThrowaway } = this.#options;
    const secrets = loadSecrets(dataDir, settings);
    const apiUrl = urlOf(port);
    const dbUrl = (role: string, password: string) =>
      `postgresql://${role}:${encodeURIComponent(password)}@127.0.0.1:${dbPort}/postgres`;
    const info: StackInfo = {
      api_url: apiUrl,
      functions_url: `${apiUrl}/functions/v1`,
      db_url: dbUrl("postgres", secrets.databasePassword),
      anon_key: await roleKey("anon", secrets.SUPABASE_JWT_SECRET),
      service_role_key: await roleKey("service_role", secrets.SUPABASE_JWT_SECRET),
      publishable_key: secrets.SUPABASE_PUBLISHABLE_KEY,
      secret_key: secrets.SUPABASE_SECRET_KEY,
      jwt_secret: secrets.SUPABASE_JWT_SECRET,
      leads_import_api_key: firstOf(secrets.LEADS_IMPORT_API_KEY),
      twilio_auth_token: firstOf(secrets.TWILIO_AUTH_TOKEN),
      worker_key: firstOf(secrets.WORKER_KEY),
      vendors: [],
    };

    // The build takes no longer than Postgres and the migrations.
    const desk = hasDesk ? buildDesk(dataDir, info) : null;

    this.#options.say?.("Starting Postgres");
    await prepareCluster(supervisor, dataDir, secrets.databasePassword, isThrowaway);
    await supervisor.start(postgresPart(dataDir, dbPort, info.db_url));
    const sql = connect(info.db_url);
    // A port is chosen just before it is used, because another stack may take it meanwhile.
    const [litePort] = freePorts(1) as [number];
    try {
      await bootstrap(sql, secrets.rolePasswords);
      this.#options.say?.("Starting auth and storage");
      await supervisor.start(litePart({
        dataDir,
        url: dbUrl("supabase_lite", secrets.rolePasswords.supabase_lite),
        jwtSecret: info.jwt_secret,
        serviceRoleKey: info.service_role_key,
        siteUrl: apiUrl,
        port: litePort,
      }));
      this.#options.say?.("Applying migrations and seed");
      await migrate(supervisor, sql, info.db_url, isThrowaway);
      info.vendors = await vendorKeys(sql, secrets.vendorKeys);
      keepVendorKeys(dataDir, info.vendors);
    } finally {
      await sql.end();
    }

    this.#options.say?.("Starting PostgREST and the functions");
    const [restPort, restAdminPort] = freePorts(2) as [number, number];
    this.restUrl = urlOf(restPort);
    if (!settings.RESEND_API_KEY?.trim()) this.#mail = new MailDouble(dataDir);
    const { folder = null, problem } = await desk ?? {};
    if (problem !== undefined) {
      this.#options.say?.(`The desk is not served, because it could not be built.\n${problem}`);
    }
    this.#gateway = (gatewayPort) =>
      gatewayPart({
        url: urlOf(gatewayPort),
        reloads: settings.FUNCTIONS_RELOAD !== "off",
        env: {
          ...settings,
          ...this.#mail?.settings,
          ALLOW_LOCAL_DESTINATIONS: "on",
          LEADS_IMPORT_API_KEY: secrets.LEADS_IMPORT_API_KEY,
          TWILIO_AUTH_TOKEN: secrets.TWILIO_AUTH_TOKEN,
          WORKER_KEY: secrets.WORKER_KEY,
          DESK_URL: settings.DESK_URL || (folder === null ? "" : `${apiUrl}/desk/`),
          SUPABASE_URL: apiUrl,
          SUPABASE_ANON_KEY: info.anon_key,
          SUPABASE_SERVICE_ROLE_KEY: info.service_role_key,
          SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: info.publishable_key }),
          SUPABASE_SECRET_KEYS: JSON.stringify({ default: info.secret_key }),
          LOCAL_GATEWAY: JSON.stringify({
            port: gatewayPort,
            restUrl: this.restUrl,
            liteUrl: urlOf(litePort),
            desk: folder,
            realtime: {
              dbUrl: dbUrl(
                "supabase_realtime_admin",
                secrets.rolePasswords.supabase_realtime_admin,
              ),
              jwtSecret: info.jwt_secret,
            },
          }),
        },
      });
    await Promise.all([
      supervisor.start(postgrestPart({
        url: dbUrl("authenticator", secrets.rolePasswords.authenticator),
        jwtSecret: info.jwt_secret,
        port: restPort,
        adminPort: restAdminPort,
        connections: this.#options.connections,
      })),
      supervisor.start(this.#gateway(port)),
    ]);
    return info;
  }
}

function urlOf(port: number): string {
  return `http://127.0.0.1:${port}`;
}

/** The first of several secrets that are separated by commas, as they are during a rotation. */
function firstOf(secrets: string): string {
  return secrets.split(",").map((secret) => secret.trim()).find(Boolean) ?? "";
}
