import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT, type StackInfo } from "../../local/mod.ts";

/** A function as the CLI has sent it. */
export interface Upload {
  /** The CLI's description: its entry point, its import map, and whether the gateway checks JWTs. */
  metadata: { entrypoint_path: string; import_map_path: string; verify_jwt: boolean };
  /** Bytes by path. */
  files: Record<string, number>;
  /** The folder that has these files, and no others. */
  folder: string;
}

/** The way in which the platform runs uploaded functions. */
export interface Runtime {
  /** The Deno binary. */
  deno: string;
  /** The option by which Deno reads the function's deno.json. */
  denoJson?: "--import-map" | "--config";
  /** Further environment of the runtime, such as where its packages come from. */
  env?: Record<string, string>;
}

interface Worker {
  child: Deno.ChildProcess;
  url: string;
}

/**
 * A stand-in for the hosted platform on loopback: the part of the Management API that a deployment uses, and a gateway
 * before the functions that were deployed. Database, auth and storage are those of a running local stack. The functions
 * get the newer ones of its keys, and a service-role JWT that is no longer accepted.
 */
export class HostedPlatform {
  readonly projectRef = "abcdefghijklmnopqrst";
  /** The requests to the Management API, such as `GET /v1/projects/…/secrets`. */
  readonly requests: string[] = [];
  /** The uploads, by the function's name. */
  readonly uploads = new Map<string, Upload>();
  /** The names of the project's secrets. */
  secretNames = ["LEADS_IMPORT_API_KEY", "TWILIO_AUTH_TOKEN"];
  /** The settings in which the auth service differs from that of the stack, such as `disable_signup`. */
  authSettings: Record<string, unknown> = {};

  readonly #stack: StackInfo;
  #runtime: Runtime;
  readonly #folder = Deno.makeTempDirSync({ prefix: "hosted-" });
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #workers = new Map<string, Promise<Worker>>();

  constructor(stack: StackInfo, runtime: Runtime) {
    this.#stack = stack;
    this.#runtime = runtime;
    this.#server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen() {} },
      (request) => this.#handle(request),
    );
    Deno.writeTextFileSync(
      join(this.#folder, "profile.yaml"),
      `name: test\napi_url: ${this.url}\ndashboard_url: ${this.url}\nproject_host: 127.0.0.1\n`,
    );
  }

  /** The project's address. */
  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  /** `{base_url}` */
  get functionsUrl(): string {
    return `${this.url}/functions/v1`;
  }

  /** The environment that makes the Supabase CLI take this for the platform. */
  get cliEnv(): Record<string, string> {
    return {
      HOME: this.#folder,
      SUPABASE_PROFILE: join(this.#folder, "profile.yaml"),
      SUPABASE_ACCESS_TOKEN: `sbp_${"0".repeat(40)}`,
    };
  }

  /** Writes a stack.json that leads tests here in place of the stack itself, and returns its path. */
  writeStackFile(): string {
    const path = join(this.#folder, "stack.json");
    const stack: StackInfo = {
      ...this.#stack,
      api_url: this.url,
      functions_url: this.functionsUrl,
    };
    Deno.writeTextFileSync(path, JSON.stringify(stack));
    return path;
  }

  /** Runs the functions that were uploaded on another runtime. */
  async changeRuntime(runtime: Runtime): Promise<void> {
    for (const name of this.#workers.keys()) await this.#endWorker(name);
    this.#runtime = runtime;
  }

  async stop(): Promise<void> {
    for (const name of this.#workers.keys()) await this.#endWorker(name);
    await this.#server.shutdown();
    Deno.removeSync(this.#folder, { recursive: true });
  }

  #handle(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const project = `/v1/projects/${this.projectRef}`;
    if (url.pathname.startsWith(project)) {
      this.requests.push(`${request.method} ${url.pathname.slice(project.length)}`);
      return this.#manage(request, url.pathname.slice(project.length), url.searchParams);
    }
    const pathAndQuery = request.url.slice(this.url.length);
    if (url.pathname === "/auth/v1/settings") return this.#tellAuthSettings(request, pathAndQuery);
    const [, name] = /^\/functions\/v1\/([^/?]+)/.exec(pathAndQuery) ?? [];
    return name === undefined
      ? pass(request, this.#stack.api_url + pathAndQuery)
      : this.#callFunction(name, request, pathAndQuery.slice("/functions/v1".length));
  }

  async #manage(request: Request, path: string, query: URLSearchParams): Promise<Response> {
    switch (`${request.method} ${path}`) {
      case "GET /secrets":
        return Response.json(this.secretNames.map((name) => ({ name, value: "a digest" })));
      case "GET /api-keys": {
        const { anon_key, publishable_key, service_role_key } = this.#stack;
        return Response.json([
          { id: "anon", type: "legacy", name: "anon", api_key: anon_key },
          { id: "service", type: "legacy", name: "service_role", api_key: service_role_key },
          { id: "1", type: "publishable", name: "default", api_key: publishable_key },
        ]);
      }
      case "GET /functions":
        return Response.json([...this.uploads].map(([name, upload]) => describe(name, upload)));
      case "POST /functions/deploy": {
        const name = query.get("slug")!;
        const upload = await this.#keep(name, await request.formData());
        return Response.json(describe(name, upload), { status: 201 });
      }
      case "PUT /functions":
        return Response.json({ functions: await request.json() });
      default:
        await request.body?.cancel();
        return Response.json({ message: "there is no such path" }, { status: 404 });
    }
  }

  async #tellAuthSettings(request: Request, pathAndQuery: string): Promise<Response> {
    // As the platform's gateway does.
    if (!request.headers.has("apikey")) return new Response("No API key found", { status: 401 });
    const response = await pass(request, this.#stack.api_url + pathAndQuery);
    return Response.json({ ...await response.json(), ...this.authSettings });
  }

  async #keep(name: string, form: FormData): Promise<Upload> {
    await this.#endWorker(name);
    const folder = join(this.#folder, `${name}-${crypto.randomUUID()}`);
    const files: Record<string, number> = {};
    for (const part of form.getAll("file")) {
      const file = part as File;
      files[file.name] = file.size;
      Deno.mkdirSync(dirname(join(folder, file.name)), { recursive: true });
      Deno.writeFileSync(join(folder, file.name), await file.bytes());
    }
    const upload = { metadata: JSON.parse(form.get("metadata") as string), files, folder };
    this.uploads.set(name, upload);
    return upload;
  }

  async #callFunction(name: string, request: Request, pathAndQuery: string): Promise<Response> {
    const upload = this.uploads.get(name);
    if (upload === undefined) {
      await request.body?.cancel();
      return Response.json({ code: "NOT_FOUND", message: "Function not found" }, { status: 404 });
    }
    const worker = this.#workers.get(name) ?? this.#startWorker(upload);
    this.#workers.set(name, worker);
    try {
      return await pass(request, (await worker).url + pathAndQuery);
    } catch (error) {
      console.error(`The function ${name} failed.`, error);
      return Response.json({ code: "BOOT_ERROR", message: "Function failed to start" }, {
        status: 503,
      });
    }
  }

  async #startWorker({ folder, metadata }: Upload): Promise<Worker> {
    const { deno, denoJson, env = {} } = this.#runtime;
    // Beside the checkout's package.json Deno would take packages from node_modules.
    const program = join(this.#folder, "function_worker.ts");
    Deno.copyFileSync(join(ROOT, "dev/testing/hosted/function_worker.ts"), program);
    const importMap = metadata.import_map_path;
    const child = new Deno.Command(deno, {
      args: [
        ...["run", "--quiet", "--allow-all", "--no-lock", "--node-modules-dir=none"],
        ...(denoJson === "--config" ? [] : ["--no-config"]),
        ...(denoJson && importMap ? [`${denoJson}=${join(folder, importMap)}`] : []),
        program,
        pathToFileURL(join(folder, metadata.entrypoint_path)).href,
      ],
      clearEnv: true,
      env: { ...this.#environment(), ...env },
      stdout: "piped",
    }).spawn();
    return { child, url: `http://127.0.0.1:${await firstLine(child.stdout)}` };
  }

  /** The variables of the platform, and the project's secrets. */
  #environment(): Record<string, string> {
    const stack = this.#stack;
    return {
      HOME: this.#folder,
      SUPABASE_URL: stack.api_url,
      SUPABASE_ANON_KEY: stack.anon_key,
      SUPABASE_SERVICE_ROLE_KEY: `${stack.service_role_key.split(".").slice(0, 2).join(".")}.revoked`,
      SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: stack.publishable_key }),
      SUPABASE_SECRET_KEYS: JSON.stringify({ default: stack.secret_key }),
      LEADS_IMPORT_API_KEY: stack.leads_import_api_key,
      TWILIO_AUTH_TOKEN: stack.twilio_auth_token,
      WORKER_KEY: stack.worker_key,
      PUBLIC_FUNCTIONS_URL: this.functionsUrl,
    };
  }

  async #endWorker(name: string): Promise<void> {
    const worker = await this.#workers.get(name)?.catch(() => undefined);
    this.#workers.delete(name);
    worker?.child.kill("SIGKILL");
    await worker?.child.status;
  }
}

function describe(name: string, { metadata }: Upload) {
  return {
    id: crypto.randomUUID(),
    slug: name,
    name,
    status: "ACTIVE",
    version: 1,
    created_at: Date.now(),
    updated_at: Date.now(),
    verify_jwt: metadata.verify_jwt,
    entrypoint_path: metadata.entrypoint_path,
  };
}

async function pass(request: Request, url: string): Promise<Response> {
  const headers = new Headers(request.headers);
  // The response is passed on as it is; a compressed body would be unpacked on the way.
  headers.set("accept-encoding", "identity");
  const { method, body } = request;
  const response = await fetch(url, { method, headers, body, redirect: "manual" });
  return new Response(response.body, response);
}

/** The first line that a process prints. The rest is its log, and is not kept. */
async function firstLine(output: ReadableStream<Uint8Array>): Promise<string> {
  const reader = output.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("\n")) {
    const { value, done } = await reader.read();
    if (done) throw new Error("it ended at once");
    text += value;
  }
  void (async () => {
    while (!(await reader.read()).done);
  })();
  return text.split("\n", 1)[0]!;
}
