/** Why an import cannot begin or go on, in one line for a person. What it has written stays until it is resumed or cancelled. */
export class ImportError extends Error {}

/** Another worker has taken over the import, or it has been cancelled: this one must not write any more. */
export class ImportLostError extends Error {
  constructor() {
    super('Another process works on the import, or it has been cancelled.');
  }
}
