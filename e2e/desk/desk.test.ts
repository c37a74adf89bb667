/** All tests of the desk, in one process, because it takes seconds to unpack and start a browser. */
import "./inbox.ts";
import "./drafts.ts";
import "./outbox.ts";
import "./ownership.ts";
import "./inbox_list.ts";
import "./inbox_pictures.ts";
import "./phone.ts";
import "./speed.ts";
import "./session.ts";
import "./frame.ts";
import "./live.ts";
import "./team.ts";
import "./recruits.ts";
import "./operator.ts";
import "./operator_replay.ts";
import "./sales.ts";
import "./presentation.ts";
