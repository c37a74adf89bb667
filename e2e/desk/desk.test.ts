/** All tests of the desk, in one process, because it takes seconds to unpack and start a browser. */
import "./session.ts";
import "./recruits.ts";
import "./operator.ts";
import "./operator_replay.ts";
