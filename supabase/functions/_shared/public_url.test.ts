import assert from "node:assert/strict";
import { publicFunctionsUrl, toPublicUrl } from "./public_url.ts";

const FILE = "/storage/v1/object/sign/text-media/a?token=x";

Deno.test("a file's URL has the public host of the functions, if they have one", () => {
  for (
    const [project, functions, expected] of [
      ["https://ref.supabase.co", "", "https://ref.supabase.co"],
      ["http://kong:8000/", "http://127.0.0.1:54321/functions/v1", "http://127.0.0.1:54321"],
      ["https://ref.supabase.co", ' "https://texts.example/functions/v1/" ', "https://texts.example"],
      ["https://ref.supabase.co", "https://texts.example", "https://ref.supabase.co"],
    ] as const
  ) {
    Deno.env.set("SUPABASE_URL", project);
    Deno.env.set("PUBLIC_FUNCTIONS_URL", functions);
    const own = project.replace(/\/$/, "");
    assert.equal(toPublicUrl(own + FILE), expected + FILE);
    assert.equal(toPublicUrl("https://elsewhere.example/a"), "https://elsewhere.example/a");
  }
});

Deno.test("the functions are at SUPABASE_URL unless they have their own address", () => {
  Deno.env.set("SUPABASE_URL", "https://ref.supabase.co/");
  Deno.env.set("PUBLIC_FUNCTIONS_URL", " ");
  assert.equal(publicFunctionsUrl(), "https://ref.supabase.co/functions/v1");
});
