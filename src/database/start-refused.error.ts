/** A reason not to start. Its message is one line for the operator and says what to do. */
export class StartRefusedError extends Error {}

/** Another process has the embedded database. */
export class DatabaseInUseError extends StartRefusedError {}
