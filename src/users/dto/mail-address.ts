/** The characters of a local part between dots. */
const LOCAL = "[a-z0-9!#$%&'*+/=?^_`{|}~-]+";
const LABEL = '[a-z0-9](?:[a-z0-9-]*[a-z0-9])?';
const MAIL_ADDRESS = new RegExp(`^${LOCAL}(?:\\.${LOCAL})*@(?:${LABEL}\\.)+${LABEL}$`, 'i');

/**
 * Whether a text is a mail address as JSON Schema validators read `format: email`: a name of dots and of the letters,
 * digits and signs that RFC 5322 allows without quotes, and a host of two labels or more.
 */
export const isMailAddress = (text: string): boolean => MAIL_ADDRESS.test(text);
