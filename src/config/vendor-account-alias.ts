/** The names under which the vendor accounts of users are repeated, as in `otherAccount:otherId`. */
const ALIAS = /^([a-z][A-Za-z0-9]{0,49}):([a-z][A-Za-z0-9]{0,49})$/;

/** Fields of users and of their vendor accounts, which an alias must not replace. */
const RESERVED_NAMES = new Set([
  'id',
  'userId',
  'name',
  'roleType',
  'lang',
  'mailAddress',
  'lastLoginTime',
  'vendorAccount',
  'uniqueId',
]);

/** Reads the setting `VENDOR_ACCOUNT_ALIAS`; undefined when it is not valid. */
export function parseVendorAccountAlias(text: string): { name: string; idName: string } | undefined {
  const [, name, idName] = ALIAS.exec(text) ?? [];
  if (name === undefined || idName === undefined || RESERVED_NAMES.has(name) || RESERVED_NAMES.has(idName))
    return undefined;
  return { name, idName };
}
