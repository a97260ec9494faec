/** Whether this run uses the embedded database; otherwise `TEST_DATABASE_URL` names a server, or the nodes of a cluster. */
export const isEmbedded = !process.env.TEST_DATABASE_URL;

/** An embedded database belongs to one process; tests with several processes on one database need a server. */
export const itOnServer = it.skipIf(isEmbedded);
export const itOnEmbedded = it.runIf(isEmbedded);
export const describeOnServer = describe.skipIf(isEmbedded);
export const describeOnEmbedded = describe.runIf(isEmbedded);
