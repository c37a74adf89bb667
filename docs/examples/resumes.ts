import { supabase } from "./supabase.ts";

/**
 * A URL that downloads a resume, for one minute and for whoever has it. Ask for it when the resume is opened.
 *
 * @param path `resume_path` of a recruit
 * @throws {StorageError} when the signed-in agent may not open it, or it is not there
 */
export async function signResumeUrl(path: string): Promise<string> {
  const { data, error } = await supabase.storage.from("resumes")
    .createSignedUrl(path, 60, { download: true });
  if (error !== null) throw error;
  return data.signedUrl;
}
