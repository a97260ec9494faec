/** The part of a local part between dots. */
const LOCAL = "[a-z0-9!#$%&'*+/=?^_`{|}~-]+";
const LABEL = '[a-z0-9](?:[a-z0-9-]*[a-z0-9])?';
/**
 * A mail address as JSON Schema validators interpret `format: email`: a local part of dots and of the letters, digits and signs
 * that RFC 5322 allows without quotes, and a host of two labels or more.
 */
export const MAIL_ADDRESS = new RegExp(`^${LOCAL}(?:\\.${LOCAL})*@(?:${LABEL}\\.)+${LABEL}$`, 'i');
