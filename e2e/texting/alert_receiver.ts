import { AlertReceiver } from "../../dev/testing/alert_receiver.ts";

/** The receiver of the stack's alerts. */
export const receiver = await AlertReceiver.start();
Deno.test.afterAll(() => receiver.stop());
