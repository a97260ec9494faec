/** Whether this run is on the embedded database; `TEST_DATABASE_URL` names a server otherwise, or the nodes of a cluster. */
export const isEmbedded = !process.env.TEST_DATABASE_URL;

/** The embedded database is for one process; what several do on one is tested on a server. */
export const itOnServer = onlyIf(!isEmbedded, () => it);
export const itOnEmbedded = onlyIf(isEmbedded, () => it);
export const describeOnServer = onlyIf(!isEmbedded, () => describe);
export const describeOnEmbedded = onlyIf(isEmbedded, () => describe);

/**
 * Jest's `it` or `describe`, or its `skip`.
 * @param current gives that of the suite at hand: suites share this module
 */
export function onlyIf<T extends typeof it | typeof describe>(condition: boolean, current: () => T) {
  const choose = () => (condition ? current() : current().skip) as T;
  const call = (...parameters: unknown[]): unknown => Reflect.apply(choose(), undefined, parameters);
  const each = (...parameters: unknown[]): unknown => Reflect.apply(choose().each, undefined, parameters);
  return Object.assign(call, { each }) as unknown as Pick<T, 'each'> &
    ((...parameters: Parameters<T>) => void);
}
