import { type Request } from 'express';
import { API_KEY_PARAMETER } from './credentials';
import { Form, parseForm } from './form';

/** A request whose query string has been parsed, or will be. */
export interface QueriedRequest extends Request {
  parsedQuery?: Form;
}

/**
 * The query string as it came, without the credential that may be in it. Parsed once, though the access guard looks at it before
 * the reader does.
 */
export function queryOf(request: QueriedRequest): Form {
  request.parsedQuery ??= parseQuery(request);
  return request.parsedQuery;
}

function parseQuery({ originalUrl }: Request): Form {
  const mark = originalUrl.indexOf('?');
  if (mark === -1) return new Form();
  const query = parseForm(originalUrl.slice(mark + 1));
  query.entries.delete(API_KEY_PARAMETER);
  return query;
}
