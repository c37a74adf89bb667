import assert from "node:assert/strict";
import { type Job, type JobRun, runJobs } from "./jobs.ts";

/** A job whose items are due from the start or are added to the queue later. */
function jobOf(queue: string[], settings: Partial<Job<string>> = {}): Job<string> & { mostAtOnce: number } {
  let running = 0;
  const job = {
    mostAtOnce: 0,
    atOnce: 2,
    claim: (max: number) => Promise.resolve({ items: queue.splice(0, max) }),
    async handle(): Promise<{ state: string }> {
      job.mostAtOnce = Math.max(job.mostAtOnce, ++running);
      await new Promise((resolve) => setTimeout(resolve, 1));
      running--;
      return { state: "done" };
    },
    idsOf: (item: string) => ({ item }),
    ...settings,
  };
  return job;
}

/** Runs jobs, and returns the result and the lines that they logged. */
async function runLogged(...args: Parameters<typeof runJobs>): Promise<JobRun & { lines: string[] }> {
  const { error } = console;
  const lines: string[] = [];
  console.error = (line: string) => lines.push(line);
  try {
    return { ...await runJobs(...args), lines };
  } finally {
    console.error = error;
  }
}

Deno.test("all due items are handled, at most as many at a time as the job allows", async () => {
  const job = jobOf(Array.from({ length: 25 }, String));
  assert.deepEqual(await runJobs({ job: () => job }, "request"), { counts: { job: { done: 25 } }, errors: 0 });
  assert.equal(job.mostAtOnce, 2);
});

Deno.test("items that an item makes due in another job are handled in the same run, whatever the order of the jobs", async () => {
  for (const names of [["fed", "feeding"], ["feeding", "fed"]]) {
    const fed: string[] = [];
    const jobs: Record<string, () => Job<string>> = {
      fed: () => jobOf(fed),
      feeding: () =>
        jobOf(["1", "2", "3"], {
          handle: async (item) => {
            await new Promise((resolve) => setTimeout(resolve, 5));
            fed.push(item);
            return { state: "done" };
          },
        }),
    };
    const { counts } = await runJobs(Object.fromEntries(names.map((name) => [name, jobs[name]!])), "request");
    assert.deepEqual(counts.fed, { done: 3 });
  }
});

Deno.test("an item that becomes due while its job claims, as a third job finds nothing, is handled in the same run", async () => {
  const fed: string[] = [];
  const after = async (ms: number, items: string[]) => {
    await new Promise((resolve) => setTimeout(resolve, ms));
    return { items };
  };
  const feeding = ["1"];
  const { counts } = await runJobs({
    fed: () => jobOf(fed, { claim: (max) => after(30, fed.splice(0, max)) }),
    feeding: () =>
      jobOf(feeding, {
        claim: (max) => after(feeding.length > 0 ? 0 : 40, feeding.splice(0, max)),
        handle: async () => {
          await after(10, []);
          fed.push("1");
          return { state: "done" };
        },
      }),
    other: () => jobOf([], { claim: () => after(20, []) }),
  }, "request");
  assert.deepEqual(counts.fed, { done: 1 });
});

Deno.test("jobs that find nothing claim once", async () => {
  let claims = 0;
  const claim = () => new Promise<{ items: string[] }>((resolve) => setTimeout(resolve, ++claims, { items: [] }));
  await runJobs(Object.fromEntries(["a", "b", "c"].map((name) => [name, () => jobOf([], { claim })])), "request");
  assert.equal(claims, 3);
});

Deno.test("a failed item is counted and logged with its ids, and the others continue", async () => {
  const handle = (item: string) =>
    item === "2" ? Promise.reject(new Error("Secret")) : Promise.resolve({ state: null });
  const { counts, errors, lines } = await runLogged({ job: () => jobOf(["1", "2", "3"], { handle }) }, "request");
  assert.deepEqual([counts, errors, lines.length], [{ job: {} }, 1, 1]);
  assert.partialDeepStrictEqual(JSON.parse(lines[0]!), { event: "job_failed", job: "job", item: "2", error: "Error" });
  assert(!lines[0]!.includes("Secret"));
});

Deno.test("a job that cannot start or claim ends, and the others continue", async () => {
  const { counts, errors, lines } = await runLogged({
    unset: () => null,
    wrong: () => {
      throw new Error("a setting");
    },
    unclaimed: () => jobOf([], { claim: () => Promise.reject(new Error("no database")) }),
    job: () => jobOf(["1"]),
  }, "request");
  assert.deepEqual([counts.job, errors], [{ done: 1 }, 2]);
  assert.deepEqual(lines.map((line) => JSON.parse(line).job), ["wrong", "unclaimed"]);
});

Deno.test("an error that ends the required job is thrown after the others have ended", async () => {
  const queue = ["1", "2", "3"];
  const jobs = {
    required: () => {
      throw new Error("a setting");
    },
    job: () => jobOf(queue),
  };
  await assert.rejects(runJobs(jobs, "request", "required"), /a setting/);
  assert.deepEqual(queue, []);
});

Deno.test("nothing more is claimed after an item whose failure would affect the others", async () => {
  const queue = ["1", "2", "3", "4", "5"];
  const handle = () => Promise.resolve({ state: "failed", isLast: true });
  await runJobs({ job: () => jobOf(queue, { handle }) }, "request");
  assert.deepEqual(queue, ["3", "4", "5"]);
});

Deno.test("an item that waits for its turn is handled when its turn comes", async () => {
  const turns = [Date.now() + 60, Date.now() + 120];
  let nextAt: number | undefined = turns.shift();
  const job = jobOf([], {
    claim: () => {
      const isDue = nextAt !== undefined && nextAt <= Date.now();
      if (isDue) nextAt = turns.shift();
      return Promise.resolve({
        items: isDue ? ["1"] : [],
        nextAt: nextAt === undefined ? null : new Date(nextAt).toISOString(),
      });
    },
  });
  assert.deepEqual((await runJobs({ job: () => job }, "request")).counts, { job: { done: 2 } });
});

Deno.test("after 1,000 items, the rest stays due", async () => {
  const queue = Array.from({ length: 2_000 }, String);
  await runJobs(
    { job: () => jobOf(queue, { atOnce: 100, handle: () => Promise.resolve({ state: "done" }) }) },
    "request",
  );
  assert(queue.length > 899 && queue.length <= 1_000, String(queue.length));
});
