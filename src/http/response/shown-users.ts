import { type Response } from 'express';

/** Changes values while they are serialised, like the second parameter of `JSON.stringify`. */
export type Replacer = (key: string, value: unknown) => unknown;

/** The names under which the vendor accounts of users are repeated. */
export interface VendorAccountAlias {
  name: string;
  /** The name of the account's id. */
  idName: string;
}

const viewers = new WeakMap<Response, number>();

/** Hides the mail addresses of all users in a response except one, the caller. */
export function hideMailAddresses(response: Response, callerId: number): void {
  viewers.set(response, callerId);
}

/** Returns the replacer for the users in a response, wherever they are in it; undefined when they are shown as they are. */
export const replacerFor = (response: Response, alias?: VendorAccountAlias): Replacer | undefined =>
  userReplacer(alias, viewers.get(response));

/**
 * Returns a replacer for users.
 * @param viewerId the only user whose mail address is shown; undefined for all
 */
export function userReplacer(alias?: VendorAccountAlias, viewerId?: number): Replacer | undefined {
  if (!alias && viewerId === undefined) return undefined;
  return (_key, value) => {
    if (typeof value !== 'object' || value === null) return value;
    const hidden = viewerId !== undefined && 'mailAddress' in value && idOf(value) !== viewerId;
    const repeated = alias && 'vendorAccount' in value ? withAlias(alias, value.vendorAccount) : undefined;
    return hidden || repeated ? { ...value, ...(hidden && { mailAddress: '' }), ...repeated } : value;
  };
}

const idOf = (value: object): unknown => ('id' in value ? value.id : undefined);

function withAlias({ name, idName }: VendorAccountAlias, account: unknown): object {
  const { vendorId, ...rest } = account as { vendorId: string };
  return { [name]: { [idName]: vendorId, ...rest } };
}
