// Ends a conversation within two seconds after the client has gone or a signal has come, whatever workers, the server, or the
// reader of our output do. The times are those of the native proxy.

import { constants } from "node:os";

/** How long a server may take to end by itself after the client has gone, until it is asked to, and until it is killed. */
const ASK_MS = 1300;
const KILL_MS = 1600;

/** The same for a server that has closed its output while its client waits: it may have something to tidy up. */
const ASK_SILENT_MS = 5_000;
const KILL_SILENT_MS = 10_000;

/** How long answers in flight may take after the client has gone. */
const LEAVE_MS = 1800;

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

export class Ending {
  #server;
  #leave;
  #timers = [];
  #isLeaving = false;

  /** The exit status for a signal, once one has come. */
  status;

  /** `leave` ends the process. */
  constructor(server, leave) {
    this.#server = server;
    this.#leave = leave;
    for (const signal of SIGNALS) process.on(signal, () => this.#signalled(signal));
  }

  /** The client has gone, or has ended its input. */
  soon() {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    this.#endServer(ASK_MS, KILL_MS);
    this.#timers.push(setTimeout(this.#leave, LEAVE_MS));
  }

  /** Nothing more comes from the server. */
  serverIsSilent() {
    if (this.#server.status === undefined) this.#endServer(ASK_SILENT_MS, KILL_SILENT_MS);
  }

  #signalled(signal) {
    this.#server.signal(signal);
    this.status = 128 + constants.signals[signal];
    this.soon();
  }

  #endServer(askAfter, killAfter) {
    this.#timers.push(setTimeout(() => this.#server.signal("SIGTERM"), askAfter));
    this.#timers.push(setTimeout(() => this.#server.signal("SIGKILL"), killAfter));
  }
}
