import { supabase } from "./supabase.ts";

/**
 * Returns a URL that downloads a resume. It works for one minute and for anyone who has it, so call this when the agent
 * opens the resume.
 *
 * @param path `resume_path` of a recruit
 * @throws {StorageError} when the agent may not open the resume, or there is none
 */
export async function signResumeUrl(path: string): Promise<string> {
  const { data, error } = await supabase.storage.from("resumes")
    .createSignedUrl(path, 60, { download: true });
  if (error !== null) throw error;
  return data.signedUrl;
}
