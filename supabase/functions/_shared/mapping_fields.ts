/**
 * The fields of a lead that every parser can fill, and so a mapping too, as the desk lists them. What type each has is in
 * recruiting/parsers/mapping_values.ts.
 */
export const MAPPING_FIELDS = {
  Person: ["first_name", "last_name", "full_name", "email", "phone", "address", "city", "state", "zip", "country"],
  Application: ["vendor_lead_id", "submitted_at", "is_test", "consent", "answers", "resume"],
  Job: ["job_id", "job_title", "job_company", "job_location", "job_url"],
  Campaign: ["form_id", "campaign_id", "ad_id", "click_id"],
};
