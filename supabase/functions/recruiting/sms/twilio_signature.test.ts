import assert from "node:assert/strict";
import { ApiError } from "../../_shared/errors.ts";
import { requireTwilioSignature } from "./twilio_signature.ts";

interface Call {
  /** PUBLIC_FUNCTIONS_URL */
  base: string;
  path: string;
  form: string;
  signature: string | undefined;
  /** TWILIO_AUTH_TOKEN */
  tokens: string | undefined;
  headers: Record<string, string>;
}

/** Twilio's own example, which its documentation and the tests of all its libraries use. */
const EXAMPLE: Call & { signature: string } = {
  base: "https://mycompany.com",
  path: "/myapp.php?foo=1&bar=2",
  form: "CallSid=CA1234567890ABCDE&Caller=%2B14158675309&Digits=1234&From=%2B14158675309" +
    "&To=%2B18005551212",
  signature: "RSOYDt4T1cUTdK1PDd93/VVr8B8=",
  tokens: "12345",
  headers: {},
};

/** Signatures published in the tests of twilio-node, -python, -java, -ruby, -php and -csharp. */
const PUBLISHED: Record<string, Partial<Call>> = {
  "the documented example": {},
  "parameters in another order": {
    form: "To=%2B18005551212&Digits=1234&From=%2B14158675309&Caller=%2B14158675309" +
      "&CallSid=CA1234567890ABCDE",
  },
  "a quote and a plus in the query": {
    path: "/myapp.php?foo=1&bar=2&Body=It's+amazing",
    signature: "dsq4Ehbj6cs+KdTkpF5sSSplOWw=",
  },
  "a repeated parameter": {
    form: "MessagingBinding.Address=%2B1325xxxxxxx&MessagingBinding.Address=%2B1415xxxxxxx",
    signature: "83O6e2vORAoJHUNzJjDWN1jz+BA=",
  },
  "a repeated parameter, its values in another order": {
    form: "MessagingBinding.Address=%2B1415xxxxxxx&MessagingBinding.Address=%2B1325xxxxxxx",
    signature: "83O6e2vORAoJHUNzJjDWN1jz+BA=",
  },
  "a repeated parameter with one value twice": {
    form: "Sid=CA123&SidAccount=AC123&Digits=5678&Digits=1234&Digits=1234",
    signature: "IK+Dwps556ElfBT0I3Rgjkr1wJU=",
  },
};

/**
 * Cases that the libraries' tests omit. Computed by the published rule with
 * `printf %s "$url$parameters" | openssl dgst -sha1 -hmac 12345 -binary | base64`.
 */
const COMPUTED: Record<string, Partial<Call>> = {
  "no parameter at all": { form: "", signature: "zYQTYrRWXE7LtzbG4PfP7/bkkGo=" },
  "no query": { path: "/myapp.php", form: "Body=hi", signature: "/5ajdvAkJj0uu75NrihzwKze54I=" },
  "a slash at the end of the configured address": {
    base: "https://mycompany.com/",
    path: "/myapp.php",
    form: "Body=hi",
    signature: "/5ajdvAkJj0uu75NrihzwKze54I=",
  },
  "spaces around the configured address": { base: " https://mycompany.com \n" },
  "quotes around the configured address": { base: '"https://mycompany.com/"' },
  "quotes and spaces around the configured address": { base: " 'https://mycompany.com' " },
  "an alphabet of many": {
    form: "Body=Gr%C3%BC%C3%9Fe+aus+K%C3%B6ln+%F0%9F%99%82+%E4%BD%A0%E5%A5%BD" +
      "&From=%2B14158675309&To=%2B18005551212",
    signature: "+CUSS8Y2dD4FE/8tQ3X1Og1QqTk=",
  },
  "spaces, line ends and form characters in a value": {
    form: "Body=+line+1%0D%0Aline+2+%26+50%25+off+%3D+win+%2B1+",
    signature: "lbQGTL0HWaOLL+w2l91rExVhqms=",
  },
  "empty parameters": {
    form: "Body=&From=%2B14158675309&FromCity=&To=%2B18005551212",
    signature: "7mSN2fi4OJeBpgTI3ohLs5qO5zQ=",
  },
  "a repeated parameter, once empty": {
    form: "Digits=5678&Digits=&To=%2B18005551212",
    signature: "t+nE6wolRvQ6eaUXARpJT8U/nMA=",
  },
  "a parameter with the name of an object's prototype": {
    form: "Body=hi&__proto__=x",
    signature: "B3QNfUGc02fA+EwmCdkLuproSbU=",
  },
};

/** URLs with the signatures of their variants from the same tests: Twilio adds the port, or omits it. */
const ADDRESSES: [base: string, ...signatures: string[]][] = [
  ["https://mycompany.com:1234", EXAMPLE.signature, "CYn1h0gLBdNxDGkKJg6hYohgeD8="],
  ["http://mycompany.com:1234", "Zmvh+3yNM1Phv2jhDCwEM3q5ebU="],
  ["https://mycompany.com", "kvajT1Ptam85bY51eRf/AJRuM3w="],
  ["http://mycompany.com", "0ZXoZLH/DfblKGATFgpif+LLRf4="],
  ["https://user:pass@mycompany.com", "CukzLTc1tT5dXEDIHm/tKBanW10="],
  ["https://user:pass@mycompany.com", "ZQFR1PTIZXF2MXB8ZnKCvnnA+rI="],
  ["https://user@mycompany.com", "2YRLlVAflCqxaNicjMpJcSTgzSs="],
  ["https://MyCompany.com", "g9IN/x4Cft2g517EjYvEvM/W7LU="],
];

Deno.test("SPEC 5: Twilio's signatures are accepted, for each way to write the address", () => {
  for (const [base, ...signatures] of ADDRESSES) {
    for (const signature of signatures) assert.equal(isAccepted({ base, signature }), true, `${base} ${signature}`);
  }
});

Deno.test("SPEC 5: a Twilio signature over any parameters is accepted", () => {
  for (const [name, call] of Object.entries({ ...PUBLISHED, ...COMPUTED })) assert.equal(isAccepted(call), true, name);
});

const FORGED: Record<string, Partial<Call>> = {
  "another value": { form: EXAMPLE.form.replace("1234", "1235") },
  "a parameter more": { form: `${EXAMPLE.form}&Extra=1` },
  "an empty parameter more": { form: `${EXAMPLE.form}&Extra=` },
  "a parameter less": { form: EXAMPLE.form.replace("&Digits=1234", "") },
  "a parameter twice with another value": { form: `${EXAMPLE.form}&Digits=9999` },
  "another spelling of a name": { form: EXAMPLE.form.replace("Digits", "digits") },
  "another query": { path: "/myapp.php?foo=1&bar=3" },
  "no query": { path: "/myapp.php" },
  "another path": { path: "/other.php?foo=1&bar=2" },
  "another host": { base: "https://example.com" },
  "another scheme": { base: "http://mycompany.com" },
  "a signature of other letters": { signature: EXAMPLE.signature.toLowerCase() },
  "a signature cut short": { signature: EXAMPLE.signature.slice(0, -1) },
  "a signature sent twice": { signature: `${EXAMPLE.signature}, ${EXAMPLE.signature}` },
  "an empty signature": { signature: "" },
  "no X-Twilio-Signature": { signature: undefined },
};

Deno.test("SPEC 5: a Twilio signature of something else is refused", () => {
  for (const [name, call] of Object.entries(FORGED)) assert.equal(isAccepted(call), false, name);
});

Deno.test("while a token is rotated, signatures with either token are accepted", () => {
  assert.equal(isAccepted({ tokens: "12345,new-token" }), true);
  assert.equal(isAccepted({ tokens: "new-token, 12345" }), true);
});

Deno.test("with another token, a part of the token or no token, every signature is refused", () => {
  for (const tokens of ["54321", "1234", "123456", " ", ",", "", undefined]) {
    assert.equal(isAccepted({ tokens }), false);
  }
});

Deno.test("if no token is set, a signature made with an empty one is refused", () => {
  const signature = "aXngMTP07D4c4hkO+r0Kb5Oe528=";
  for (const tokens of [",", "", undefined]) {
    assert.equal(isAccepted({ signature, tokens }), false);
  }
});

Deno.test("the URL is based on SUPABASE_URL if PUBLIC_FUNCTIONS_URL is unset or blank, whatever the headers", () => {
  const headers = { "x-forwarded-host": "mycompany.com", "x-forwarded-proto": "https" };
  assert.equal(isAccepted({ base: "", headers }), false);

  const path = "/recruiting/sms/inbound";
  const signature = "yWRU27Wd2X5dwdDQdLyuzagSM1o=";
  for (const base of ["", " ", '""']) {
    assert.equal(isAccepted({ base, headers, path, form: "Body=hi", signature }), true);
  }
});

function isAccepted(call: Partial<Call>): boolean {
  const { base, path, form, signature, tokens, headers } = { ...EXAMPLE, ...call };
  setEnv("PUBLIC_FUNCTIONS_URL", base);
  setEnv("SUPABASE_URL", "https://project.example");
  setEnv("TWILIO_AUTH_TOKEN", tokens);
  // A hosted function sees an internal URL, so its host must not matter.
  const request = new Request(`http://internal:8081${path}`, { method: "POST", headers });
  if (signature !== undefined) {
    request.headers.set("X-Twilio-Signature", signature);
  }
  try {
    requireTwilioSignature(request, new URLSearchParams(form));
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.code === "UNAUTHORIZED") {
      return false;
    }
    throw error;
  }
}

function setEnv(name: string, value: string | undefined): void {
  if (value === undefined) Deno.env.delete(name);
  else Deno.env.set(name, value);
}
