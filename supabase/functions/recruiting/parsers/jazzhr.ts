import { isObject } from "../../_shared/json.ts";
import { readAnswers } from "./answers.ts";
import { type Fields, firstTextOf } from "./fields.ts";
import { parserOf, type RawLead } from "./normalize.ts";
import { NOT_A_NEW_APPLICATION } from "./parser.ts";
import { stateCode } from "../../_shared/states.ts";

/** The `data` of the request with which JazzHR verifies a new webhook. */
const VERIFICATION = "JazzHR Verify Event";

/**
 * A candidate of JazzHR as its Candidate Export webhook sends it, or an applicant as its API returns it. The export has
 * `candidate` in the HR Open format, with `person` and `profiles`; each profile is an application. An applicant is
 * flat, with `jobs` and `questionnaire`.
 * Sources: https://apidoc.jazzhrapis.com/candidate-export and https://github.com/JazzHR/api-doc; for the API, whose own
 * pages are not public, https://github.com/zailous1/JazzHR-DotNet-SDK and https://github.com/koombea/jazzhr_tap
 */
export const jazzhr = parserOf((fields) => {
  if (fields.peek("data") === VERIFICATION) return NOT_A_NEW_APPLICATION;
  return isObject(fields.peek("candidate")) ? readCandidate(fields.at("candidate")) : readApplicant(fields);
});

function readCandidate(candidate: Fields): RawLead {
  const person = candidate.at("person");
  const applications = candidate.items("profiles");
  const application = onlyOne(applications);
  const job = onlyOne(application?.items("associatedPositionOpenings"));
  const address = person.items("communication.address")[0];
  const state = address?.items("countrySubdivisions").find((part) => part.peek("type") === "state");
  return {
    vendor_lead_id: applicationId(applications, person),
    first_name: person.text("name.given"),
    last_name: person.text("name.family"),
    full_name: person.text("name.formattedName"),
    email: firstTextOf(person.items("communication.email"), "address"),
    phone: firstTextOf(person.items("communication.phone"), "formattedNumber"),
    address: address?.text("line", "formattedAddress"),
    city: address?.text("city"),
    state: state?.text("value"),
    zip: address?.text("postalCode"),
    country: address?.text("countryCode"),
    submitted_at: person.text("applyDate"),
    // The documents have no type. A single document of an application is the resume.
    resume: { url: onlyOne(application?.items("attachments"))?.text("url") },
    more: {
      job_id: job?.text("positionOpeningId.value"),
      job_title: job?.text("positionTitle"),
      job_url: job?.text("positionUri"),
    },
  };
}

// A candidate may be exported again, with all applications so far. Only a further application creates a new lead. The
// candidate's own number may equal the number of another candidate's application, so it gets a prefix.
function applicationId(applications: Fields[], person: Fields): string | undefined {
  const ids = applications.flatMap((application) => application.text("profileId.value") ?? []);
  if (ids.length > 0) return ids.join(",");
  const id = person.text("id.value");
  return id && `candidate-${id}`;
}

function readApplicant(fields: Fields): RawLead {
  const job = onlyOne(fields.items("jobs")) ?? fields.at("jobs");
  const location = fields.text("location");
  return {
    vendor_lead_id: fields.text("id"),
    first_name: fields.text("first_name"),
    last_name: fields.text("last_name"),
    email: fields.text("email"),
    phone: fields.text("phone", "prospect_phone"),
    address: fields.text("address"),
    state: location && stateCode(location),
    submitted_at: fields.text("apply_date"),
    resume: { url: fields.text("resume_link") },
    more: {
      job_id: fields.text("job_id") ?? job.text("job_id"),
      job_title: fields.text("job_title") ?? job.text("job_title"),
      answers: readAnswers(fields, "questionnaire"),
    },
  };
}

/** Returns the item of a list that has only one. */
function onlyOne<Item>(list: Item[] = []): Item | undefined {
  return list.length === 1 ? list[0] : undefined;
}
