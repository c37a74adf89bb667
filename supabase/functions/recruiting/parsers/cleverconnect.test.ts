import assert from "node:assert/strict";
import { cleverconnect } from "./cleverconnect.ts";
import { holds, parsed, PDF } from "./fixtures/parsed.ts";

Deno.test("cleverconnect: a numeric id; the resume is kept, of other attachments only the name and type", () => {
  const lead = parsed(cleverconnect, "cleverconnect");
  assert.deepEqual(lead, {
    first_name: "Camille",
    vendor_lead_id: "12345",
    resume: { base64: PDF, type: "pdf" },
    vendor_metadata: {
      job_id: "agent-fr-1",
      attachments: [{ type: "letter", contentType: "application/pdf", fileName: "letter.pdf" }],
      last_name: "Martin",
      email: "camille.martin@example.com",
      phone: "+33155501234",
      phone_raw: "+33155501234",
      address: "10 rue de l'Exemple, 75009 Paris",
      city: "Paris",
      zip: "75009",
      country: "France",
      vendor_fields: {
        candidate: { civility: "F" },
        attachments: [null, { type: "resume", fileName: "resume.pdf" }],
        origin: "meteojob",
      },
    },
  });
  assert.equal(holds(lead.vendor_metadata, "Q292ZXIgbGV0dGVy"), false);
});
