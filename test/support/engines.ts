/** Whether this run is on the embedded database; `TEST_DATABASE_URL` names a server otherwise. */
export const isEmbedded = !process.env.TEST_DATABASE_URL;

/** The embedded database is for one process; what several do on one is tested on a server. */
export const itOnServer = isEmbedded ? it.skip : it;
export const itOnEmbedded = isEmbedded ? it : it.skip;
export const describeOnServer = isEmbedded ? describe.skip : describe;
export const describeOnEmbedded = isEmbedded ? describe : describe.skip;
