/** Whether this run uses the embedded database; otherwise `TEST_DATABASE_URL` names a server, or the nodes of a cluster. */
export const isEmbedded = !process.env.TEST_DATABASE_URL;

/** An embedded database belongs to one process; tests with several processes on one database need a server. */
export const itOnServer = onlyIf(!isEmbedded, () => it);
export const itOnEmbedded = onlyIf(isEmbedded, () => it);
export const describeOnServer = onlyIf(!isEmbedded, () => describe);
export const describeOnEmbedded = onlyIf(isEmbedded, () => describe);

/**
 * Returns Jest's `it` or `describe` if the condition holds, otherwise its `skip`.
 * @param current returns the function of the running suite, because suites share this module
 */
export function onlyIf<T extends typeof it | typeof describe>(condition: boolean, current: () => T) {
  const choose = () => (condition ? current() : current().skip) as T;
  const call = (...parameters: unknown[]): unknown => Reflect.apply(choose(), undefined, parameters);
  const each = (...parameters: unknown[]): unknown => Reflect.apply(choose().each, undefined, parameters);
  return Object.assign(call, { each }) as unknown as Pick<T, 'each'> &
    ((...parameters: Parameters<T>) => void);
}
