import { Buffer } from "node:buffer";
import { createClient } from "@supabase/supabase-js";
import { type ApiResponse, PDF, send, stack, type Vendor, withKey } from "./client.ts";

/** The PDF in base64, as vendors send it. */
export const PDF_BASE64 = Buffer.from(PDF).toString("base64");

/** Posts one recruiting lead. */
export function ingest(
  vendor: Vendor,
  body: unknown,
  query = "",
  headers: Record<string, string> = {},
): Promise<ApiResponse> {
  return send(`/recruiting/ingest${query}`, { headers: { ...withKey(vendor), ...headers }, body });
}

/** Posts recruiting leads in bulk. */
export function ingestBulk(
  vendor: Vendor,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<ApiResponse> {
  return send("/recruiting/ingest/bulk", { headers: { ...withKey(vendor), ...headers }, body });
}

/** An Indeed Apply application. */
export function application(
  id: string,
  file: object = { contentType: "application/pdf", data: PDF_BASE64, fileName: "cv.pdf" },
) {
  return {
    id,
    applicant: {
      fullName: "Mary Jane Watson",
      firstName: "Mary Jane",
      lastName: "Watson",
      email: "MJ@Example.com",
      phoneNumber: "+1 5555551234",
      resume: { file },
    },
    job: { jobId: "j-1", jobTitle: "Insurance Agent", jobLocation: "Austin, TX" },
    screenerQuestionsAndAnswers: {
      questionsAndAnswers: [{ question: { id: "q1", question: "Licensed?", type: "select" }, answer: "Yes" }],
    },
    analytics: { ip: "198.51.100.7" },
  };
}

/** Downloads a stored resume as the service role, with the type under which it is served. */
export async function downloadFile(path: string): Promise<{ type: string; bytes: Uint8Array }> {
  const { storage } = createClient(stack.api_url, stack.service_role_key);
  const { data, error } = await storage.from("resumes").download(path);
  if (error) throw error;
  return { type: data.type, bytes: await data.bytes() };
}

/** Downloads the bytes of a stored resume as the service role. */
export async function downloadResume(path: string): Promise<Uint8Array> {
  return (await downloadFile(path)).bytes;
}
