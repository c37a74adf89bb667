/** Posts one text as the function `texting` does, and prints the outcome. The argument is the API's origin. */
import { createMessage } from "../../../supabase/functions/worker/twilio/api.ts";

const exchange = await createMessage({
  to: "+12025550101",
  from: "+12025550102",
  messagingServiceSid: null,
  body: "Hi",
  mediaUrls: [],
  statusCallback: "https://project.example/functions/v1/recruiting/sms/status?message=1",
  validityPeriod: null,
}, { account: { sid: "AC1", username: "SK1", password: "secret", origin: Deno.args[0]! } });
console.log(JSON.stringify(exchange));
