/** Prints the current step of a run, with the time. */
export const progress = (database: string, step: string): void =>
  console.log(`${new Date().toISOString().slice(11, 19)} ${database}: ${step}`);
