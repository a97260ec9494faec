/** Reason to refuse startup. Its message is one line for the operator, including what to do. */
export class StartRefusedError extends Error {}

/** Another process uses the embedded database. */
export class DatabaseInUseError extends StartRefusedError {}
