/**
 * The tests of the inbox, in one process, because it takes seconds to unpack and start a browser. Those of the other
 * views run beside them: views.test.ts.
 */
import "./components.ts";
import "./inbox.ts";
import "./drafts.ts";
import "./outbox.ts";
import "./ownership.ts";
import "./conversation.ts";
import "./quick_replies.ts";
import "./waiting_texts.ts";
import "./looks.ts";
import "./inbox_pictures.ts";
import "./pictures.ts";
import "./phone.ts";
import "./notifications.ts";
import "./speed.ts";
import "./optimistic.ts";
import "./queue.ts";
